import { describe, expect, it } from 'vitest';
import { expiry } from './token.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');

describe('expiry', () => {
  it.each([
    ['never', undefined],
    ['12h', NOW + 12 * 3_600_000],
    ['90d', NOW + 90 * 86_400_000],
    ['2030-01-31', Date.parse('2030-01-31T00:00:00Z')],
    ['2030-01-31T08:00:00+02:00', Date.parse('2030-01-31T06:00:00Z')],
  ])('reads %s', (text, wanted) => {
    expect(expiry(text, NOW)).toBe(wanted);
  });

  it.each(['0d', '-1d', '90', '1y', '2020-01-01', '2030-13-01', 'tomorrow', '', 'Never', '999999d'])(
    'refuses %j',
    (text) => {
      expect(() => expiry(text, NOW)).toThrow(/cannot expire/);
    },
  );
});
