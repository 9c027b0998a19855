import { expect, test } from 'vitest';
import { killCampaign } from './support/kill-campaign.ts';

/** The slice of `long/kill.test.ts` that every run of the tests can afford. */
test('writers killed at work leave nothing half done', { timeout: 120_000 }, async () => {
  const outcome = await killCampaign({ kills: 3, seed: 5, referrers: 20 });
  expect(outcome.kills).toBeGreaterThanOrEqual(3);
  expect(outcome.acknowledged).toBeGreaterThan(0);
});
