import { describe, expect, it } from 'vitest';
import { closest } from './nearest.ts';

describe('closest', () => {
  it.each([
    ['limt', 'limit'],
    ['LIMIT', 'limit'],
    ['crusor', 'cursor'],
    ['pth', 'path'],
  ])('finds %s → %s', (typed, meant) => {
    expect(closest(typed, ['path', 'limit', 'cursor'])).toBe(meant);
  });

  it('finds nothing for another word', () => {
    expect(closest('banana', ['path', 'limit', 'cursor'])).toBeUndefined();
    expect(closest('x', ['path'])).toBeUndefined();
    expect(closest('l'.repeat(10_000), ['limit'])).toBeUndefined();
  });
});
