import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { WatchTurn } from './watch-turn.ts';

it('lets one at a time, in one thread and in several', async () => {
  const turn = WatchTurn.ofProcess();
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside++;
    most = Math.max(most, inside);
    await delay(3);
    inside--;
  };
  await Promise.all(Array.from({ length: 8 }, () => WatchTurn.ofProcess().take(work)));
  expect([most, inside]).toEqual([1, 0]);

  // Another thread has it: taken in plain memory that the thread inherited, as this file does it.
  const other = new Worker(
    `const { getEnvironmentData, parentPort } = require('node:worker_threads');
     const state = new Int32Array(getEnvironmentData('lectern.watch-turn'));
     Atomics.store(state, 0, 1);
     parentPort.postMessage('taken');
     setTimeout(() => Atomics.store(state, 0, 0), 60);`,
    { eval: true },
  );
  await new Promise((resolve) => other.once('message', resolve));
  const started = performance.now();
  await turn.take(work);
  expect(performance.now() - started).toBeGreaterThan(40);
  await other.terminate();
});

it('is given back when the work fails', async () => {
  const turn = WatchTurn.ofProcess();
  await expect(turn.take(() => Promise.reject(new Error('no watches left')))).rejects.toThrow(
    'no watches left',
  );
  expect(await turn.take(async () => 'next')).toBe('next');
});
