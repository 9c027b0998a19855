import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, clip, clipAround, clipBytes, textWindow } from './text.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '👩', '👩‍🚀', '\n'), maxLength: 60 });

describe('textWindow', () => {
  it('covers a text without gap, overlap or split character, page after page', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (whole, max) => {
        let joined = '';
        let offset = 0;
        while (offset < whole.length) {
          const { start, end } = textWindow(whole, offset, max);
          expect(start).toBe(offset);
          expect(end).toBeGreaterThan(start);
          const page = whole.slice(start, end);
          expect(Buffer.from(page).toString()).toBe(page);
          expect(page.length).toBeLessThanOrEqual(Math.max(max, 2));
          joined += page;
          offset = end;
        }
        expect(joined).toBe(whole);
      }),
    );
  });

  it('moves an offset that points into a character back to its start', () => {
    expect(textWindow('a👩b', 2, 10)).toEqual({ start: 1, end: 4 });
  });

  it('answers the end for an offset past it', () => {
    expect(textWindow('abc', 99, 10)).toEqual({ start: 3, end: 3 });
  });
});

describe('clip', () => {
  it('says that it cut and never splits a character', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('ab👩d', 4)).toBe('ab…');
    expect(clip('abc', 3)).toBe('abc');
  });
});

describe('byteLength', () => {
  it('counts as they are written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (one, other) => {
        for (const each of [one, other, `${one}\ud83d${other}`, `\udc00${one}`, `${other}\ud800`])
          expect(byteLength(each)).toBe(Buffer.byteLength(each));
        expect(byteLength(one + other, one.length)).toBe(Buffer.byteLength(one));
      }),
    );
  });
});

describe('clipBytes', () => {
  it('keeps to its budget and to whole characters', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 3, max: 40 }), (whole, max) => {
        const cut = clipBytes(whole, max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(Buffer.from(cut).toString()).toBe(cut);
        if (cut !== whole) expect(whole.startsWith(cut.slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('clipAround', () => {
  it('keeps the mark in sight, with a little before it', () => {
    const text = `${'before '.repeat(20)}**mark** ${'after '.repeat(20)}`;
    const cut = clipAround(text, '**', 60);
    expect(cut).toMatch(/^…before before \*\*mark\*\* after/);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(60);
  });

  it('leaves no mark open', () => {
    const marked = 'see **a long run of marked words** and **more**';
    expect(clipAround(marked, '**', 20)).toBe('see **a long ru**…');
    for (let max = 12; max < 60; max += 1) {
      const cut = clipAround(marked, '**', max);
      expect(cut.split('**').length % 2).toBe(1);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
    }
    // Marks in the note's own text are not completed.
    expect(clipAround('**x** = 2**3 and some more text', '**', 20)).toBe('**x** = 2**3 and …');
  });

  it('shows the mark whenever the room allows, and never takes more than that', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 12, max: 80 }), (before, after, max) => {
        const cut = clipAround(`${before}**x**${after}`, '**', max);
        expect(cut).toContain('**');
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
      }),
    );
  });
});
