import { expect, test } from 'vitest';
import { killCampaign } from '../support/kill-campaign.ts';

test('200 writers killed at random moments lose no acknowledged write and leave no move half done', async () => {
  const outcome = await killCampaign({
    kills: 200,
    seed: 1,
    referrers: 60,
    log: (message) => console.log(message),
  });
  console.log(JSON.stringify(outcome));
  expect(outcome.kills).toBeGreaterThanOrEqual(200);
  expect(outcome.cutMoves).toBeGreaterThan(20);
  expect(outcome.acknowledged).toBeGreaterThan(200);
});
