import { expect, it } from 'vitest';
import type { Folder } from '../contain/contain.ts';
import { DueFlushes } from './due-flushes.ts';

interface Scripted {
  readonly folder: Folder;
  readonly events: string[];
  end(error?: Error): void;
}

function scripted(path: string): Scripted {
  const events: string[] = [];
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  ended.catch(() => undefined);
  const folder = {
    path,
    sync: () => {
      events.push('sync');
      return ended;
    },
    close: async () => void events.push('close'),
  } as unknown as Folder;
  return { folder, events, end };
}

it('flushes each folder once and closes it', async () => {
  const due = new DueFlushes();
  const [first, again] = [scripted('a'), scripted('a')];
  expect(due.take(first.folder)).toBe(true);
  expect(due.take(again.folder)).toBe(false);
  first.end();
  await due.flush();
  await due.flush();
  expect(first.events).toEqual(['sync', 'close']);
  expect(again.events).toEqual([]);
  expect(due.take(again.folder)).toBe(true);
});

it('waits for a flush under way, and shares its failure', async () => {
  const due = new DueFlushes();
  const slow = scripted('a');
  due.take(slow.folder);
  const first = due.flush();
  let isOver = false;
  const second = due.flush().finally(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  slow.end(new Error('the drive is gone'));
  await expect(first).rejects.toThrow('the drive is gone');
  await expect(second).rejects.toThrow('the drive is gone');
  expect(slow.events).toEqual(['sync', 'close']);
  await due.flush();
});
