import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadAhead } from './read-ahead.ts';

test('yields every result once and in order, whichever batch is done first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 7 }),
      fc.scheduler(),
      async (batches, most, least, scheduler) => {
        let begun = 0;
        const ahead = new ReadAhead(batches, most, async (batch: readonly number[]) => {
          begun += 1;
          await scheduler.schedule(Promise.resolve());
          return batch.map((value) => value + 1);
        });
        const results: number[] = [];
        const taking = (async () => {
          const take = () => ahead.take(least);
          for (let taken = await take(); taken !== undefined; taken = await take()) results.push(...taken);
        })();
        await scheduler.waitFor(taking);
        expect(results).toEqual(batches.flat().map((value) => value + 1));
        expect(begun).toBe(batches.length);
      },
    ),
  );
});

test('begins no more batches than it may hold, and none after it was stopped', async () => {
  const finish: (() => void)[] = [];
  const ahead = new ReadAhead([['a'], ['b'], ['c'], ['d']], 2, async (batch: readonly string[]) => {
    await new Promise<void>((resolve) => finish.push(resolve));
    return batch;
  });
  expect(finish).toHaveLength(2);
  finish[0]?.();
  expect(await ahead.take()).toEqual(['a']);
  expect(finish).toHaveLength(3);
  finish[2]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(finish).toHaveLength(3);
  finish[1]?.();
  expect(await ahead.take()).toEqual(['b', 'c']);
  expect(finish).toHaveLength(4);
  const stopped = ahead.stop();
  finish[3]?.();
  await stopped;
  expect(await ahead.take()).toEqual(['d']);
  expect(await ahead.take()).toBeUndefined();
});

test('takes as many batches at once as are asked for, and what is left at the end', async () => {
  const ahead = new ReadAhead([['a'], ['b'], ['c'], ['d'], ['e']], 4, async (batch: readonly string[]) => {
    await new Promise((resolve) => setImmediate(resolve));
    return batch;
  });
  expect((await ahead.take(3))?.length).toBeGreaterThanOrEqual(3);
  expect((await ahead.take(3))?.at(-1)).toBe('e');
  expect(await ahead.take(3)).toBeUndefined();
});
