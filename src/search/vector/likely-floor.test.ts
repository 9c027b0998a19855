import { expect, test } from 'vitest';
import { likelyFloor } from './likely-floor.ts';

const ROWS = 20_000;
const scores = Float32Array.from({ length: ROWS }, (_, row) => Math.sin(row * row));

test('about as many reach it as are wanted', () => {
  const floor = likelyFloor(scores, new Int32Array(ROWS).fill(1), 200);
  const reached = scores.filter((score) => score >= floor).length;
  expect(reached).toBeGreaterThanOrEqual(200);
  expect(reached).toBeLessThan(600);
});

test('rows without an owner do not count', () => {
  const owners = Int32Array.from(scores, (score) => (score < 0.5 ? 1 : 0));
  expect(likelyFloor(scores, owners, 200)).toBeLessThan(0.5);
});

test('a few rows tell nothing', () => {
  expect(likelyFloor(scores.subarray(0, 300), new Int32Array(300).fill(1), 200)).toBe(
    Number.NEGATIVE_INFINITY,
  );
});
