import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem, stemCore } from './stem.ts';
import { countWanted, eachTerm } from './terms.ts';

function termsOf(text: string): string[] {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
}

describe('eachTerm', () => {
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

describe('countWanted', () => {
  const word = fc.constantFrom(
    ...'note notes noting organization organizing organized query queries querying parseHTMLPage HTMLPages'.split(
      ' ',
    ),
    ...'数据库 数据 据 データ 한국어 ภาษา 𠮷野家 𠮷 😀 naïve Ærø İstanbul v2beta running runs happiness flies'.split(
      ' ',
    ),
  );
  const texts = fc
    .array(
      fc.tuple(
        fc.oneof(word, fc.string({ unit: 'binary', maxLength: 4 })),
        fc.constantFrom(' ', '', '-', '\n', '。'),
      ),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.flat().join(''));

  it('counts what eachTerm finds, and nothing else', () => {
    fc.assert(
      fc.property(texts, texts, (text, query) => {
        const wanted = new Map(termsOf(query).map((term) => [term, 1]));
        const expected = new Map<string, number>();
        for (const term of termsOf(text))
          if (wanted.has(term)) expected.set(term, (expected.get(term) ?? 0) + 1);
        expect(countWanted(text, wanted)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes no longer for a word that is everywhere', () => {
    const started = performance.now();
    const counts = countWanted('漢'.repeat(100_000), new Map([['漢漢', 1]]));
    expect(counts.get('漢漢')).toBe(99_999);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('stem', () => {
  it('leaves what it says it leaves of any word', () => {
    const endings =
      'izations ators nesses ments ically fully ally ical ities ings ied ies ed ly sses shes ches xes ss us is s e y ying er'.split(
        ' ',
      );
    const words = fc
      .tuple(
        fc.string({ unit: fc.constantFrom(...'abdeilnsty'), minLength: 1, maxLength: 6 }),
        fc.constantFrom('', ...endings),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, (each) => {
        expect(each).toContain(stemCore(stem(each)));
      }),
      { numRuns: 3000 },
    );
  });

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
