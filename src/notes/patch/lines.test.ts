import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applySplices } from '../splice.ts';
import { blankLineBefore, inserted, replaceLines, withoutBlankEdges, withoutBlankEnd } from './lines.ts';

describe('text to insert', () => {
  it('takes the note’s line endings and loses a BOM', () => {
    expect(inserted('\ufeffa\r\nb\nc\rd', '\r\n')).toBe('a\r\nb\r\nc\r\nd');
  });

  it('loses blank lines at its edges but no indentation and no hard break', () => {
    expect(withoutBlankEdges('\n \t\r\n    code\n\ntext  \n\n')).toBe('    code\n\ntext  ');
    expect(withoutBlankEnd('\n- a\n \n')).toBe('\n- a');
    expect(withoutBlankEdges(' \n\n')).toBe('');
  });

  it('trims a long run of line breaks in linear time', () => {
    const started = performance.now();
    expect(withoutBlankEdges(`${'\n'.repeat(500_000)}x${' \n'.repeat(500_000)}y`)).toMatch(/^x/);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('tells a blank line from the top of the text', () => {
    expect(blankLineBefore('a\n\nb', 3)).toBe(true);
    expect(blankLineBefore('a\r\n \r\nb', 6)).toBe(true);
    expect(blankLineBefore('a\nb', 2)).toBe(false);
    expect(blankLineBefore('b', 0)).toBe(false);
    expect(blankLineBefore('\nb', 1)).toBe(true);
  });
});

describe('replaceLines', () => {
  it('leaves equal lines alone, odd endings included', () => {
    const text = 'a\nb\r\nc\nd\r\n';
    expect(replaceLines(text, { start: 0, end: 8 }, 'a\nb\nX\nd', '\r\n')).toEqual([
      { start: 5, end: 7, insert: 'X\r\n' },
    ]);
    expect(replaceLines(text, { start: 0, end: 8 }, 'a\r\nb\r\nc\r\nd', '\r\n')).toEqual([]);
  });

  it('always yields the wanted lines', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '', ' '), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('\n', '\r\n', '\r'), (old, now, eol) => {
        const text = `head${eol}${old.join(eol)}${eol}tail`;
        const start = 4 + eol.length;
        const span = { start, end: start + old.join(eol).length };
        const result = applySplices(text, replaceLines(text, span, now.join('\n'), eol));
        expect(result).toBe(`head${eol}${now.join(eol)}${eol}tail`);
      }),
      { numRuns: 500 },
    );
  });
});
