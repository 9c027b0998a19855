import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bomLength, decodeText, detectEol, encodeText, LineIndex } from './text.ts';

describe('decodeText', () => {
  it('gives back every well-formed text, BOM included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (body, bom) => {
        const text = (bom ? '\ufeff' : '') + body;
        expect(decodeText(encodeText(text))).toEqual({ ok: true, text });
      }),
    );
    expect(bomLength('\ufeffx')).toBe(1);
    expect(bomLength('x\ufeff')).toBe(0);
  });

  it.each([
    [[0x61, 0xff, 0x62], 1],
    [[0x61, 0xc3], 2],
    [[0xe2, 0x82], 2],
    [[0xc0, 0xaf], 0],
    [[0x61, 0xed, 0xa0, 0x80], 2],
  ])('refuses %j and says where', (bytes, offset) => {
    expect(decodeText(Uint8Array.from(bytes))).toEqual({ ok: false, offset });
  });
});

describe('detectEol', () => {
  it.each([
    ['', '\n'],
    ['one line', '\n'],
    ['a\nb', '\n'],
    ['a\r\nb', '\r\n'],
    ['a\rb', '\r'],
    ['a\r\nb\r\nc\n', '\r\n'],
    ['a\nb\r\n', '\n'],
    ['a\r\nb\n', '\r\n'],
  ])('%j', (text, eol) => {
    expect(detectEol(text)).toBe(eol);
  });
});

describe('LineIndex', () => {
  it('agrees with splitting the text', () => {
    const chunk = fc.constantFrom('\n', '\r\n', '\r', 'a', '😀', '本', ' ');
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), (chunks) => {
        const text = chunks.join('');
        const index = new LineIndex(text);
        const lines = text.split(/\r\n|\r|\n/);
        expect(index.count).toBe(lines.length);
        lines.forEach((line, number) => {
          const start = index.startOf(number + 1);
          expect(text.slice(start, index.endOf(number + 1))).toBe(line);
          for (let at = start; at < start + line.length; at += 1) expect(index.lineAt(at)).toBe(number + 1);
        });
      }),
    );
  });

  it('answers for offsets and lines out of range', () => {
    const index = new LineIndex('a\nb');
    expect([index.lineAt(-1), index.lineAt(99)]).toEqual([1, 2]);
    expect([index.startOf(0), index.startOf(9), index.endOf(9)]).toEqual([0, 3, 3]);
  });
});
