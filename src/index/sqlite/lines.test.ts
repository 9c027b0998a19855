import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byLines } from './lines.ts';

it('takes a text apart without losing a character', () => {
  const piece = fc.constantFrom('a', ' ', '\n', '\r', 'é', '漢', '😀', '\u2028');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const lines: string[] = [];
      let all = '';
      byLines(
        text,
        (stretch) => {
          expect(stretch).toMatch(/^[\0-\x7f]+$/);
          all += stretch;
        },
        (line) => {
          lines.push(line);
          all += line;
        },
      );
      expect(all).toBe(text);
      expect(lines).toEqual(text.split('\n').filter((line) => /[^\0-\x7f]/.test(line)));
    }),
  );
});
