import { expect, it } from 'vitest';
import { hostileSearch } from '../support/hostile-search.ts';

it('2,000 hostile queries by words and meaning: answered or clearly refused, in time, nobody held up', async () => {
  const outcome = await hostileSearch(2000, 1, 20);
  console.log(JSON.stringify({ ...outcome, wrong: outcome.wrong.length, blocking: outcome.blocking.length }));
  expect(outcome.wrong).toEqual([]);
  expect(outcome.blocking).toEqual([]);
  expect(outcome.slowestMs, outcome.slowestKind).toBeLessThan(8000);
}, 1_800_000);
