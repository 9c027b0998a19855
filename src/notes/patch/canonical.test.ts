import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch } from './apply.ts';
import { findEquivalent } from './canonical.ts';

const replaced = (text: string, old: string) =>
  applyPatch(text, [{ op: 'replace_text', old, new: 'X' }], { dialect: 'obsidian' }).text;

describe('letters written with other code points', () => {
  it.each([
    ['a cafe\u0301 b\n', 'café', 'a X b\n'],
    ['a café b\n', 'cafe\u0301', 'a X b\n'],
    ['e\u0301 e\u0301 ü u\u0308x\n', 'üx', 'e\u0301 e\u0301 ü X\n'],
    ['\u1112\u1161\u11ab\u1100\u1173\u11af\n', '한글', 'X\n'],
    ['é — cafe\u0301\nnext\n', 'café\nnext', 'é — X\n'],
  ])('are found in %j', (text, old, right) => {
    expect(replaced(text, old)).toBe(right);
  });

  it('never end a match within a letter', () => {
    expect(findEquivalent('cafe\u0301\u0323', 'café', 0)).toEqual([]);
    expect(findEquivalent('e\u0301', '\u0301', 0)).toEqual([]);
    expect(() => replaced('cafe\u0301 cafe\u0301\n', 'café')).toThrow(/2 times/);
  });

  it('are where they are found, whatever stands around', () => {
    const word = fc
      .array(fc.constantFrom('a', 'é', 'e\u0301', 'ü', 'u\u0308', '한', '\u1112\u1161\u11ab', '😀', ' '), {
        minLength: 1,
        maxLength: 6,
      })
      .map((letters) => letters.join(''));
    fc.assert(
      fc.property(word, word, word, (before, wanted, after) => {
        const text = before + wanted.normalize('NFD') + after;
        for (const { start, end } of findEquivalent(text, wanted.normalize('NFC'), 0)) {
          expect(text.slice(start, end).normalize('NFC')).toBe(wanted.normalize('NFC'));
        }
        const alone = findEquivalent(wanted.normalize('NFD'), wanted.normalize('NFC'), 0);
        if (wanted.normalize('NFD') !== wanted.normalize('NFC'))
          expect(alone).toEqual([{ start: 0, end: wanted.normalize('NFD').length }]);
      }),
    );
  });
});
