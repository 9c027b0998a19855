import { expect, test } from 'vitest';
import { Pacer } from '../pacer.ts';
import { PauseRequests } from './pause-requests.ts';

test('work pauses at its next turn until the last pause has ended', async () => {
  const pauses = new PauseRequests();
  const pacer = new Pacer(Number.POSITIVE_INFINITY, undefined, () => pauses.gate);
  let turns = 0;
  let working = true;
  const work = (async () => {
    while (working) {
      await pacer.pause();
      turns++;
    }
  })();
  /** Work of the same kind that nothing pauses: while it takes ten turns, the other would take as many. */
  const free = new Pacer(Number.POSITIVE_INFINITY);
  const tenTurns = async () => {
    for (let turn = 0; turn < 10; turn++) await free.pause();
  };
  await expect.poll(() => turns).toBeGreaterThan(0);
  const first = pauses.add();
  const second = pauses.add();
  await tenTurns();
  const held = turns;
  await tenTurns();
  expect(turns).toBe(held);
  first();
  first();
  await tenTurns();
  expect(turns).toBe(held);
  second();
  await expect.poll(() => turns).toBeGreaterThan(held);
  working = false;
  await work;
});

test('the end opens the gate for good', async () => {
  const pauses = new PauseRequests();
  const resume = pauses.add();
  const { gate } = pauses;
  pauses.end();
  await gate;
  resume();
  pauses.add();
  expect(pauses.gate).toBeUndefined();
});
