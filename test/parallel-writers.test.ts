import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { auditNotes, litterIn, shareGround, writeInParallel } from './support/parallel-writers.ts';

/** The slice of `long/parallel-writers.test.ts` that every run of the tests can afford. */
test('what parallel processes were told is written is there exactly once', { timeout: 120_000 }, async () => {
  const ground = shareGround(2);
  const ledger = await writeInParallel(ground, { processes: 3, writesEach: 12, atOnce: 3, seed: 1 });
  expect(ledger.acknowledged.size).toBe(36);
  expect(auditNotes(ground, ledger)).toEqual([]);
  expect(litterIn(ground.vault)).toEqual([]);
  rmSync(dirname(ground.vault), { recursive: true });
});
