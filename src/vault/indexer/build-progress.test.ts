import { expect, test } from 'vitest';
import { BuildProgress } from './build-progress.ts';

const building = (done: number, total: number) => ({
  state: 'building' as const,
  done,
  total,
  message: undefined,
});

test('a build is known to take longer only from its own rate', () => {
  const progress = new BuildProgress();
  expect(progress.takesLongerThan(2000)).toBe(false);
  progress.note(building(0, 0), 0);
  progress.note(building(0, 10_000), 100);
  progress.note(building(300, 10_000), 400);
  expect(progress.takesLongerThan(2000)).toBe(false);
  progress.note(building(1000, 10_000), 1100);
  expect(progress.takesLongerThan(2000)).toBe(true);
  progress.note(building(8500, 10_000), 8600);
  expect(progress.takesLongerThan(2000)).toBe(false);
});

test('another build begins with another rate', () => {
  const progress = new BuildProgress();
  progress.note(building(0, 10_000), 0);
  progress.note(building(1000, 10_000), 1000);
  progress.note({ state: 'ready', done: 10_000, total: 10_000, message: undefined }, 9000);
  expect(progress.takesLongerThan(2000)).toBe(false);
  progress.note(building(0, 10_000), 20_000);
  expect(progress.takesLongerThan(2000)).toBe(false);
});
