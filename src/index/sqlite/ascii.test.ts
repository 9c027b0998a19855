import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forEachAsciiCompound } from './ascii.ts';

const COMPOUND = /(?<![A-Za-z0-9])[A-Za-z0-9]{1,40}(?:[-._/'+@][A-Za-z0-9]{1,40}){1,7}/g;

const piece = fc.oneof(
  fc.constantFrom('a', 'B7', '-', "'", '.', '_', '/', '+', '@', ' ', '\n', '\0', '(', 'z'.repeat(40)),
  fc.integer({ min: 37, max: 43 }).map((length) => 'x'.repeat(length)),
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

it('finds the compounds a pattern finds', () => {
  fc.assert(
    fc.property(text, (any) => {
      const found: string[] = [];
      forEachAsciiCompound(any, (compound) => found.push(compound));
      expect(found).toEqual(any.match(COMPOUND) ?? []);
    }),
    { numRuns: 5000 },
  );
});

it('looks at every character a few times at most', () => {
  const long = `${'x'.repeat(100_000)}-`.repeat(20);
  const started = performance.now();
  forEachAsciiCompound(long, () => {});
  expect(performance.now() - started).toBeLessThan(2000);
});
