import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestedRange } from './ranges.ts';

const TAG = '"0123456789abcdef"';
const asked = (range: string, size: number, ifRange?: string) =>
  requestedRange(new Headers({ range, ...(ifRange !== undefined && { 'if-range': ifRange }) }), TAG, size);

describe('requestedRange', () => {
  it.each([
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=2-', 10, { start: 2, end: 10 }],
    ['bytes=2-99', 10, { start: 2, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-99', 10, { start: 0, end: 10 }],
    ['Bytes = 1 - 2', 10, { start: 1, end: 3 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=3-1', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=0-1,3-4', 10, undefined],
    ['lines=0-1', 10, undefined],
    ['bytes=a-b', 10, undefined],
  ])('%s of %i bytes', (range, size, wanted) => {
    expect(asked(range, size)).toEqual(wanted);
  });

  it('goes by If-Range, which a weak tag and a date never fit', () => {
    expect(asked('bytes=0-0', 10, TAG)).toEqual({ start: 0, end: 1 });
    for (const other of ['"other"', `W/${TAG}`, 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect(asked('bytes=0-0', 10, other)).toBeUndefined();
  });

  it('lies within the file, whatever is asked', () => {
    const bound = fc.oneof(fc.nat(20), fc.constantFrom('', '99999999999999999999'));
    fc.assert(
      fc.property(bound, bound, fc.nat(12), (from, to, size) => {
        const range = asked(`bytes=${from}-${to}`, size);
        if (typeof range !== 'object') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThan(range.end);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});
