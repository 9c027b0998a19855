import { expect, test } from 'vitest';
import { Flushes } from './flushes.ts';

test('whoever asks during a flush shares the next one, which starts after this one ends', async () => {
  const flushes = new Flushes();
  const ends: (() => void)[] = [];
  let started = 0;
  const flush = () => {
    started++;
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const first = flushes.run('a', flush);
  const others = [flushes.run('a', flush), flushes.run('a', flush)];
  const elsewhere = flushes.run('b', flush);
  expect(started).toBe(2);
  ends.shift()?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toBe(3);
  for (const end of ends) end();
  await Promise.all([...others, elsewhere]);
  void flushes.run('a', flush);
  expect(started).toBe(4);
});

test('a flush that fails fails for its own callers only', async () => {
  const flushes = new Flushes();
  const first = flushes.run('a', () => Promise.reject(new Error('the disk is gone')));
  const second = flushes.run('a', () => Promise.resolve());
  await expect(first).rejects.toThrow('gone');
  await expect(second).resolves.toBeUndefined();
});
