import { expect, test } from 'vitest';
import { parseTime } from './time.ts';

test('ages count back from now, ISO times are absolute', () => {
  expect(parseTime('2h', 10_000_000)).toBe(10_000_000 - 7_200_000);
  expect(parseTime('1.5d ago', 0)).toBe(-129_600_000);
  expect(parseTime('2026-01-31T09:00:00Z')).toBe(Date.UTC(2026, 0, 31, 9));
});

test.each(['', 'yesterday', '12', '2026', '5y', '2026-13-45'])('%j is refused', (text) => {
  expect(() => parseTime(text)).toThrow(/is not a time/);
});
