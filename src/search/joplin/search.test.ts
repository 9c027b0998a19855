import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

/** Words that stems, accents, entities and beginnings confuse. */
const WORDS = [
  'road',
  'roads',
  'roadmap',
  'running',
  'run',
  'café',
  'cafe',
  'caf&eacute;',
  'naïve',
  'x',
  '2024',
  'C++',
];
const TITLES = ['Road', 'Roads ahead', 'Running café', 'x', '2024 run'];

const BODIES = Array.from({ length: 40 }, (_, at) =>
  Array.from({ length: 1 + (at % 5) }, (_, word) => WORDS[(at * 7 + word * 5) % WORDS.length]).join(
    at % 3 === 0 ? ', ' : ' ',
  ),
);
const FILES = Object.fromEntries(
  BODIES.map((body, at) => [
    `${at % 2 === 0 ? 'A' : 'B/C'}/n${at}.md`,
    `---\ntitle: ${TITLES[at % TITLES.length]}\n---\n\n${body}\n`,
  ]),
);

/** As one would say it: words between signs, small, without accents, entities decoded. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll('&eacute;', 'é')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault(FILES);
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

async function found(query: string): Promise<string[]> {
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await vault.session.search({
      query,
      syntax: 'joplin',
      mode: 'lexical',
      filter: {},
      limit: 7,
      ...(cursor !== undefined && { cursor }),
    });
    paths.push(...page.items.map(({ path }) => path));
    expect(page.total).toBeGreaterThanOrEqual(paths.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return paths;
}

const term = fc.record({
  word: fc.constantFrom(
    'road',
    'roads',
    'run',
    'running',
    'café',
    'cafe',
    'naive',
    'x',
    '2024',
    'ro',
    'nothing',
    'C++',
  ),
  negated: fc.boolean(),
  prefix: fc.boolean(),
  field: fc.constantFrom('', 'title:', 'body:'),
});

it('finds just the notes that have the words, whatever the index thinks of stems', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(term, { minLength: 1, maxLength: 4 }), fc.boolean(), async (terms, any) => {
      const query = terms
        .map(
          ({ word, negated, prefix, field }) =>
            `${negated ? '-' : ''}${field}${word}${prefix && word !== 'C++' ? '*' : ''}`,
        )
        .join(' ');
      const right = Object.entries(FILES).filter(([, text]) => {
        const [, title = '', body = ''] = /^---\ntitle: (.*)\n---\n\n([\s\S]*)$/.exec(text) ?? [];
        const holds = terms.map(({ word, negated, prefix, field }) => {
          const places = field === 'title:' ? [title] : field === 'body:' ? [body] : [title, body];
          const [wanted = ''] = wordsOf(word);
          const isPrefix = prefix && word !== 'C++';
          const isThere = places.some((place) =>
            wordsOf(place).some((one) => (isPrefix ? one.startsWith(wanted) : one === wanted)),
          );
          return isThere !== negated;
        });
        return any ? holds.some(Boolean) : holds.every(Boolean);
      });
      const paths = await found(any ? `any:1 ${query}` : query);
      expect(paths.toSorted()).toEqual(right.map(([path]) => path).sort());
    }),
    { numRuns: 150 },
  );
});
