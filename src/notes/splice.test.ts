import { expect, it } from 'vitest';
import { applySplices } from './splice.ts';

it('applies splices in any order, those at one place in the order given', () => {
  const splices = [
    { start: 4, end: 5, insert: 'E' },
    { start: 0, end: 0, insert: '<' },
    { start: 2, end: 2, insert: '1' },
    { start: 2, end: 2, insert: '2' },
  ];
  expect(applySplices('abcdef', splices)).toBe('<ab12cdEf');
  expect(applySplices('abc', [])).toBe('abc');
});

it('refuses splices that overlap', () => {
  const overlapping = [
    { start: 0, end: 3, insert: '' },
    { start: 2, end: 4, insert: '' },
  ];
  expect(() => applySplices('abcdef', overlapping)).toThrow(RangeError);
});
