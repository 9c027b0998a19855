import { expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { campaign } from './campaign.ts';
import { HOSTILE } from './hostile-calls.ts';
import { expectInBudget } from './in-budget.ts';

it('has hostile calls of every operation, and of no other', () => {
  expect([...HOSTILE.keys()].sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
});

/** A slice of test/long/call-budget.test.ts. */
it('some hostile calls of every operation: answered or clearly refused, within their limits, nobody held up', async () => {
  expectInBudget(await campaign({ door: 'stdio', calls: 2, seed: 3, scale: 0.05 }));
  expectInBudget(await campaign({ door: 'http', calls: 1, seed: 4, scale: 0.05 }));
}, 300_000);
