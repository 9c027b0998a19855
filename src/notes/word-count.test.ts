import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countWords } from './word-count.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

function oracle(text: string): number {
  let words = 0;
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words += 1;
  return words;
}

describe('countWords agrees with Intl.Segmenter', () => {
  it.each([
    'A well-known state-of-the-art snake_case word.',
    'สวัสดี ชาวโลก',
    '今天天气很好，我们去公园散步。System 设计',
    "don't can’t l’homme 3.14 1,000 1:30 a:b e.g. U.S.A. x_y __init__ _ __ ___ _a",
    'C++ C# .NET foo-bar',
    '한국 한글 日本語 カタカナ ひらがな',
    'א"ב צה"ל שלום',
    'naïve café é x\u00ady',
    '🚀 launch 🇩🇪 👩‍💻 ☀️ 1️⃣',
    'हिन्दी मराठी العربية',
    '½ ² ª Ⅷ ① １２ ａｂ',
    "a''b a.'b 1..2 a._b a:_ _:a _.1 1_,2",
    '',
    '\r\n\t ',
  ])('%j', (text) => {
    expect(countWords(text)).toBe(oracle(text));
  });

  const characters = [
    ...'aZ09_ \n\t.,:;\'"-+#*()’‘·‧…–«»',
    ...'éßñžłøΩαЖёא"בع٣हि',
    ...'漢字ひカー々กาံ한',
    '\u0301',
    '\u00ad',
    '\u200d',
    '\u200b',
    '\ufe0f',
    '\u00a0',
    '\u2028',
    '🚀',
    '👩',
    '🇩',
    '\ud83d',
    '\udc00',
    '\u{20000}',
    '½',
    '２',
    'ａ',
  ];
  const dense = fc.array(fc.constantFrom(...characters), { maxLength: 30 }).map((parts) => parts.join(''));

  it('on dense mixtures', () => {
    fc.assert(
      fc.property(dense, (text) => {
        expect(countWords(text)).toBe(oracle(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('on ASCII', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 60 });
    fc.assert(
      fc.property(ascii, (text) => {
        expect(countWords(text)).toBe(oracle(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('on anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(countWords(text)).toBe(oracle(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('on every character of the basic plane, alone and among others', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x10000; code += 1) {
      const one = String.fromCharCode(code);
      const text = `${one} a${one}b 1${one}2 ${one}${one} !${one}a`;
      if (countWords(text) !== oracle(text)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

it('takes time in proportion to the text', () => {
  const started = process.cpuUsage().user;
  for (const text of [
    '漢'.repeat(200_000),
    'ก'.repeat(200_000),
    '\u0301'.repeat(1_000_000),
    "a'".repeat(1_000_000),
  ])
    countWords(text);
  expect((process.cpuUsage().user - started) / 1000).toBeLessThan(10_000);
});
