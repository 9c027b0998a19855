import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';
import { termsOf } from './terms.ts';

describe('termsOf', () => {
  it.each([
    ['Running, runs & RUN', ['run', 'run', 'run']],
    ['Café crème', ['caf', 'crem']],
    ['Get-ChildItem', ['get', 'childitem', 'child', 'item']],
    ['parseHTMLPage', ['parsehtmlpag', 'pars', 'html', 'pag']],
    ['数据库', ['数据', '据库']],
    ['读 Markdown 笔记', ['读', 'markdown', '笔记']],
    ['データ', ['デー', 'ータ']],
    ['한국어', ['한국', '국어']],
    ['ภาษา', ['ภา', 'าษ', 'ษา']],
    ['год 2024', ['год', '2024']],
    ['', []],
    ['…—!?', []],
  ])('%j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it('passes over keys and encoded data', () => {
    expect(termsOf(`key ${'a1'.repeat(40)} end`)).toEqual(['key', 'end']);
  });

  it('takes any text, in time that grows with its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const term of termsOf(text)) expect(term).not.toBe('');
      }),
    );
    const start = performance.now();
    termsOf(`${'漢'.repeat(200_000)} ${'aB'.repeat(200_000)} \ud800${'x '.repeat(100_000)}`);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

describe('stem', () => {
  it.each([
    ['searches', 'search'],
    ['searching', 'search'],
    ['notes', 'not'],
    ['note', 'not'],
    ['creation', 'creat'],
    ['created', 'creat'],
    ['queries', 'query'],
    ['query', 'query'],
    ['string', 'string'],
    ['red', 'red'],
    ['class', 'class'],
    ['v2beta', 'v2beta'],
  ])('%s → %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });
});
