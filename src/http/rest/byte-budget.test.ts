import { setImmediate as afterIo } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

it('gives room in the order of arrival, and takes back what is given twice only once', async () => {
  const budget = new ByteBudget(10);
  const order: string[] = [];
  const take = async (name: string, bytes: number) => {
    const lease = await budget.take(bytes);
    order.push(name);
    return lease;
  };
  const first = await take('first', 8);
  const second = take('second', 8);
  // It would fit into the free bytes, but it arrived later.
  const third = take('third', 1);
  await afterIo();
  expect(order).toEqual(['first']);
  first.keep(3);
  await afterIo();
  expect(order).toEqual(['first']);
  first.end();
  first.end();
  (await second).end();
  (await third).end();
  expect(order).toEqual(['first', 'second', 'third']);
  await take('all of it', 10);
  expect(order).toHaveLength(4);
});
