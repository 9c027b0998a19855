import { setImmediate as nextTurn } from 'node:timers/promises';
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
    await nextTurn();
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
     let answered = 0;
     parentPort.on('message', () => {
       if (++answered === 20) Atomics.store(state, 0, 0);
       parentPort.postMessage(answered);
     });`,
    { eval: true },
  );
  const answer = () => new Promise((resolve) => other.once('message', resolve));
  await answer();
  const order: string[] = [];
  const taken = turn.take(async () => void order.push('taken'));
  // Each exchange of messages is a turn of both loops; the other thread gives its turn back with the last one.
  for (let exchange = 1; exchange <= 20; exchange++) {
    if (exchange === 20) order.push('given back');
    other.postMessage('');
    await answer();
  }
  await taken;
  expect(order).toEqual(['given back', 'taken']);
  await other.terminate();
});

it('is given back when the work fails', async () => {
  const turn = WatchTurn.ofProcess();
  await expect(turn.take(() => Promise.reject(new Error('no watches left')))).rejects.toThrow(
    'no watches left',
  );
  expect(await turn.take(async () => 'next')).toBe('next');
});
