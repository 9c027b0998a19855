import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { isStale, parseTempName, releaseTempName, swapFolderName, tempFileName } from './temp.ts';

test('what this thread has in use is not stale, and is once it let go of it', () => {
  const name = swapFolderName('move');
  expect(parseTempName(name)).toMatchObject({ kind: 'swap', pid: process.pid, purpose: 'move' });
  expect(isStale(name, 10 ** 9)).toBe(false);
  releaseTempName(name);
  expect(isStale(name, 0)).toBe(true);
});

test('what another thread of this process made is left alone until it is old', () => {
  const mine = tempFileName();
  const theirs = mine.replace(/t\d+-/, 't7-').replace(/[0-9a-f]{12}/, '0123456789ab');
  expect(isStale(theirs, 5000)).toBe(false);
  expect(isStale(theirs, 120_000)).toBe(true);
  releaseTempName(mine);
});

test('what a dead process left is stale at once', async () => {
  const ended = await new Promise<number>((resolve) => {
    const worker = new Worker(
      "const { spawnSync } = require('node:child_process'); require('node:worker_threads').parentPort.postMessage(spawnSync(process.execPath, ['-e', '']).pid)",
      { eval: true },
    );
    worker.once('message', resolve);
  });
  const name = tempFileName();
  releaseTempName(name);
  expect(isStale(name.replace(`-${process.pid}t`, `-${ended}t`), 0)).toBe(true);
});
