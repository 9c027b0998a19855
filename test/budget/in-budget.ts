import { expect } from 'vitest';
import type { CampaignOutcome } from './campaign.ts';

/** As long as a machine that others use may take for a ping; what it takes alone is in `docs/guides/limits.md`. */
const MOST_PING_MS = 10_000;
/** Of the process: the thread for large notes may have 512 of them, a plan of many steps as many. */
const MOST_MEGABYTES = 1536;

export function expectInBudget(outcome: CampaignOutcome): void {
  expect(outcome.wrong).toEqual([]);
  expect(outcome.holding).toEqual([]);
  expect(outcome.longestPingMs).toBeLessThan(MOST_PING_MS);
  expect(outcome.peakMegabytes).toBeLessThan(MOST_MEGABYTES);
}
