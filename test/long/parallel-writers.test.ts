import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { auditNotes, litterIn, shareGround, writeInParallel } from '../support/parallel-writers.ts';

test('8 processes with 200 writes each on ten notes lose and repeat nothing', async () => {
  const ground = shareGround(10);
  const start = performance.now();
  const ledger = await writeInParallel(ground, { processes: 8, writesEach: 200, atOnce: 4, seed: 1 });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${ledger.acknowledged.size} writes in ${seconds.toFixed(1)} s, ${ledger.conflicts} conflicts met and repeated`,
  );
  expect(ledger.acknowledged.size).toBe(1600);
  expect(auditNotes(ground, ledger)).toEqual([]);
  expect(litterIn(ground.vault)).toEqual([]);
  rmSync(dirname(ground.vault), { recursive: true });
});
