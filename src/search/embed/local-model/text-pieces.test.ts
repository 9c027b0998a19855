import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textPieces } from './text-pieces.ts';

describe('textPieces', () => {
  it('gives the text back when joined, in bounded pieces, with no pair cut apart', () => {
    const text = fc
      .array(fc.constantFrom(' ', '\n', '。', 'a', '語', '😀', 'word ', 'x'.repeat(300), '😀'.repeat(200)))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (whole) => {
        const pieces = [...textPieces(whole)];
        expect(pieces.join('')).toBe(whole);
        for (const piece of pieces) {
          expect(piece.length).toBeGreaterThan(0);
          expect(piece.length).toBeLessThanOrEqual(256);
          expect(encodeURIComponent.bind(undefined, piece)).not.toThrow();
        }
      }),
    );
  });

  it('cuts before white space, so that words and the space before them stay together', () => {
    const pieces = [...textPieces('garden '.repeat(200).trim())];
    expect(pieces.length).toBeGreaterThan(4);
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^ garden/);
  });
});
