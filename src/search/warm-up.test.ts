import { expect, test, vi } from 'vitest';
import { WarmUp } from './warm-up.ts';

const QUICK = { startAfterMs: 0, gapMs: 0 };

function warmUp(titles: readonly string[], pace = QUICK) {
  const searched: string[] = [];
  let failing = false;
  let heldAt = 0;
  let held = Promise.resolve();
  let steps = 3;
  const made = new WarmUp(
    {
      prepare: async () => {
        if (searched.length > 0) throw new Error('searched before it was ready');
        steps -= 1;
        return steps > 0;
      },
      titles: async (most) => titles.slice(0, most),
      search: async (query) => {
        if (failing) throw new Error('the index is gone');
        searched.push(query);
        if (searched.length === heldAt) await held;
      },
    },
    pace,
  );
  /** The nth search lasts until the returned function is called. */
  const hold = (nth: number) => {
    let release = () => {};
    heldAt = nth;
    held = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { made, searched, stepsLeft: () => steps, fail: () => (failing = true), hold };
}

test('gets ready, then searches for the first words of titles, once', async () => {
  const { made, searched, stepsLeft } = warmUp(['One', 'two words', 'a very long title']);
  await Promise.all([made.start(), made.start()]);
  expect(stepsLeft()).toBe(0);
  expect(searched).toEqual(['One', 'two words', 'a very long']);
});

test('searches of others count', async () => {
  const { made, searched } = warmUp(['One', 'Two']);
  for (let asked = 0; asked < 80; asked++) made.searched();
  await made.start();
  expect(searched).toEqual([]);
});

test('ends in the middle, and not before its last search has ended', async () => {
  const { made, searched, hold } = warmUp(Array.from({ length: 80 }, (_, at) => `Note ${at}`));
  const release = hold(2);
  const ended = made.start();
  await vi.waitFor(() => expect(searched).toHaveLength(2), { interval: 1 });
  const order: string[] = [];
  const stopped = made.stop().then(() => order.push('stopped'));
  order.push('the search ends');
  release();
  await Promise.all([stopped, ended]);
  expect(order).toEqual(['the search ends', 'stopped']);
  expect(searched).toHaveLength(2);
});

test('gives up silently when a search fails', async () => {
  const { made, searched, fail } = warmUp(['One']);
  fail();
  await expect(made.start()).resolves.toBeUndefined();
  await expect(made.stop()).resolves.toBeUndefined();
  expect(searched).toEqual([]);
});
