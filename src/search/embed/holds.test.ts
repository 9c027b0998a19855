import { expect, test } from 'vitest';
import { Pacer } from '../pacer.ts';
import { Holds } from './holds.ts';

test('work pauses at its next turn until the last hold has ended', async () => {
  const holds = new Holds();
  const pacer = new Pacer(Number.POSITIVE_INFINITY, undefined, () => holds.gate);
  let turns = 0;
  let working = true;
  const work = (async () => {
    while (working) {
      await pacer.pause();
      turns++;
    }
  })();
  const first = holds.take();
  const second = holds.take();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const held = turns;
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(turns).toBe(held);
  first();
  first();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(turns).toBe(held);
  second();
  await expect.poll(() => turns).toBeGreaterThan(held);
  working = false;
  await work;
});

test('the end opens the gate for good', async () => {
  const holds = new Holds();
  const letGo = holds.take();
  const { gate } = holds;
  holds.end();
  await gate;
  letGo();
  holds.take();
  expect(holds.gate).toBeUndefined();
});
