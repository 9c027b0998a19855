import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeLine } from './json-rpc.ts';
import { hasTooManyValues, MESSAGE_VALUES } from './json-values.ts';

it.each([
  ['lists in lists', '['.repeat(2_000_000)],
  ['maps in maps', '{"a":'.repeat(500_000)],
  ['numbers', `[${'0,'.repeat(1_000_000)}0]`],
  ['texts', `["${'a","'.repeat(500_000)}"]`],
  ['escaped marks', `["${'\\\\","'.repeat(500_000)}"]`],
])('too many %s are seen without parsing them', (_, text) => {
  expect(hasTooManyValues(text)).toBe(true);
  expect(decodeLine(text)).toMatchObject({ kind: 'error', message: expect.stringContaining('values') });
});

it('marks within texts count for nothing', () => {
  const piece = fc.constantFrom('[', '{', ',', ':', '"', '\\', '\\"', 'a', '\n');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      const text = JSON.stringify({ body: pieces.join('').repeat(400_000), list: [1, 2] });
      expect(hasTooManyValues(text)).toBe(false);
    }),
    { numRuns: 20 },
  );
  expect(hasTooManyValues(`[${'0,'.repeat(MESSAGE_VALUES - 2)}${' '.repeat(1_000_000)}0]`)).toBe(false);
});
