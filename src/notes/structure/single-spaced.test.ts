import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { singleSpaced } from './single-spaced.ts';

test('every run of white space becomes one space', () => {
  const piece = fc.constantFrom(' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u2003', '\ufeff', 'a', 'ä', '.');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(singleSpaced(text)).toBe(text.replace(/\s+/g, ' '));
    }),
  );
});
