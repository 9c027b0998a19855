import { expect, it } from 'vitest';
import { campaign } from '../budget/campaign.ts';
import { expectInBudget } from '../budget/in-budget.ts';

/** 500 hostile calls of every operation: of each door half. */
it.each(['stdio', 'http'] as const)('250 hostile calls of every operation over %s', async (door) => {
  const outcome = await campaign({
    door,
    calls: 250,
    seed: door === 'stdio' ? 1 : 2,
    scale: 0.3,
    note: console.log,
  });
  console.log(JSON.stringify({ ...outcome, wrong: outcome.wrong.length, holding: outcome.holding.length }));
  expect(outcome.calls).toBeGreaterThan(8000);
  expectInBudget(outcome);
});
