import { expect, it } from 'vitest';
import { hostileSearch } from './support/hostile-search.ts';

/** Twice what is promised and measured by the long campaign: other tests share the processor's caches and clock. */
const BLOCK_MS = 40;

it('200 hostile queries by words and meaning: answered or clearly refused, in time, nobody held up', async () => {
  const { asked, wrong, blocking, slowestMs, slowestKind, modes } = await hostileSearch(
    200,
    20261128,
    BLOCK_MS,
  );
  expect(asked).toBe(200);
  expect(wrong).toEqual([]);
  expect(blocking).toEqual([]);
  // The time a search may take is 2 s; the rest is room for a loaded machine.
  expect(slowestMs, slowestKind).toBeLessThan(8000);
  expect(modes.hybrid ?? 0, JSON.stringify(modes)).toBeGreaterThan(30);
}, 240_000);
