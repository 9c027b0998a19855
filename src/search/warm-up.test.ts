import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WarmUp } from './warm-up.ts';

const QUICK = { startAfterMs: 0, gapMs: 0 };

function warmUp(titles: readonly string[], pace = QUICK) {
  const searched: string[] = [];
  let failing = false;
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
      },
    },
    pace,
  );
  return { made, searched, stepsLeft: () => steps, fail: () => (failing = true) };
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries++) await delay(2);
}

test('gets ready, then searches for the first words of titles, once', async () => {
  const { made, searched, stepsLeft } = warmUp(['One', 'two words', 'a very long title']);
  made.start();
  made.start();
  await until(() => searched.length === 3);
  await delay(10);
  expect(stepsLeft()).toBe(0);
  expect(searched).toEqual(['One', 'two words', 'a very long']);
});

test('searches of others count', async () => {
  const { made, searched } = warmUp(['One', 'Two']);
  for (let asked = 0; asked < 80; asked++) made.searched();
  made.start();
  await delay(30);
  expect(searched).toEqual([]);
});

test('ends in the middle, and not before its last search has ended', async () => {
  const { made, searched } = warmUp(
    Array.from({ length: 80 }, (_, at) => `Note ${at}`),
    { startAfterMs: 0, gapMs: 5 },
  );
  made.start();
  await until(() => searched.length > 1);
  await made.stop();
  const before = searched.length;
  await delay(30);
  expect(searched.length).toBe(before);
  expect(before).toBeLessThan(80);
});

test('gives up silently when a search fails', async () => {
  const { made, searched, fail } = warmUp(['One']);
  fail();
  made.start();
  await delay(20);
  await expect(made.stop()).resolves.toBeUndefined();
  expect(searched).toEqual([]);
});
