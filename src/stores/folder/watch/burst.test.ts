import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Burst } from './burst.ts';

let lost: number;
let burst: Burst;

beforeEach(() => {
  vi.useFakeTimers();
  lost = 0;
  burst = new Burst(() => lost++);
});
afterEach(() => void vi.useRealTimers());

test('a hundred events lose nothing, more may, and each burst says so once, at its end', () => {
  burst.add(100);
  vi.advanceTimersByTime(10_000);
  expect(lost).toBe(0);
  burst.add(60);
  vi.advanceTimersByTime(499);
  burst.add(60);
  vi.advanceTimersByTime(499);
  expect(lost).toBe(0);
  vi.advanceTimersByTime(1);
  expect(lost).toBe(1);
  burst.add(100);
  vi.advanceTimersByTime(10_000);
  expect(lost).toBe(1);
});

test('nothing is said after the stop', () => {
  burst.add(1000);
  burst.stop();
  vi.advanceTimersByTime(10_000);
  expect(lost).toBe(0);
});
