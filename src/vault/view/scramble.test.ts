import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scramble, unscramble } from './scramble.ts';

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
const number = fc.integer({ min: 0, max: 2 ** 40 - 1 });

it('gives numbers back, to each its own', () => {
  fc.assert(
    fc.property(secret, number, number, (key, one, other) => {
      const first = scramble(key, 'write', one) ?? -1;
      expect(first).toBeGreaterThanOrEqual(0);
      expect(first).toBeLessThan(2 ** 40);
      expect(unscramble(key, 'write', first)).toBe(one);
      expect(scramble(key, 'write', other) === first).toBe(one === other);
    }),
  );
});

it('tells nothing of the order, nor of the same number in another use or under another key', () => {
  const key = new Uint8Array(32).fill(7);
  const firsts = Array.from({ length: 100 }, (_, at) => scramble(key, 'write', at + 1) ?? -1);
  const sorted = firsts.toSorted((a, b) => a - b);
  expect(firsts).not.toEqual(sorted);
  expect(Math.min(...firsts)).toBeLessThan(2 ** 38);
  expect(Math.max(...firsts)).toBeGreaterThan(3 * 2 ** 38);
  expect(scramble(key, 'trash', 1)).not.toBe(firsts[0]);
  expect(scramble(new Uint8Array(32).fill(8), 'write', 1)).not.toBe(firsts[0]);
});

it.each([-1, 0.5, Number.NaN, 2 ** 40, Number.POSITIVE_INFINITY])('has no place for %d', (value) => {
  const key = new Uint8Array(32);
  expect(scramble(key, 'write', value)).toBeUndefined();
  expect(unscramble(key, 'write', value)).toBeUndefined();
});
