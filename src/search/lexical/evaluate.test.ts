import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pacer } from '../pacer.ts';
import { normalize } from '../query/normal.ts';
import { parseQuery } from '../query/parser.ts';
import { Evaluator } from './evaluate.ts';

async function matches(
  query: string,
  text: string,
  path = 'N.md',
  budgetMs = 10_000,
): Promise<boolean | undefined> {
  const { root } = parseQuery(query);
  if (!root) throw new Error(`${query} asks for nothing`);
  const parts = [normalize(root)];
  const evaluator = new Evaluator(new Pacer(budgetMs));
  evaluator.prepare(parts);
  return evaluator.matches(parts, { path, text, record: undefined });
}

/** A boolean query over words, with the test it stands for on one folded stretch of text. */
interface Condition {
  readonly query: string;
  readonly test: (text: string) => boolean;
}

const word = fc.constantFrom('a', 'ab', 'b', 'cafe', '統', 'x');
const condition: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition; leaf: Condition }>((tie) => ({
  leaf: word.map((text) => ({ query: text, test: (source: string) => source.includes(text) })),
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('any').map(({ query, test }) => ({ query: `-(${query})`, test: (source: string) => !test(source) })),
    fc.tuple(tie('any'), tie('any')).map(([left, right]) => ({
      query: `(${left.query} ${right.query})`,
      test: (source: string) => left.test(source) && right.test(source),
    })),
    fc.tuple(tie('any'), tie('any')).map(([left, right]) => ({
      query: `(${left.query} OR ${right.query})`,
      test: (source: string) => left.test(source) || right.test(source),
    })),
  ),
})).any;

const note = fc
  .array(fc.constantFrom('a', 'ab', 'b', 'CAFÉ', '本統', 'x', ' ', ' ', '\n', '\n\n', '\r\n'), {
    maxLength: 25,
  })
  .map((parts) => parts.join(''));
const folded = (text: string): string => text.toLowerCase().replaceAll('é', 'e');

test('line: holds all of its query in one line, by substring, as a plain reading says', async () => {
  await fc.assert(
    fc.asyncProperty(condition, note, fc.boolean(), async ({ query, test: expected }, text, negated) => {
      const some = text.split(/\r?\n/).some((line) => expected(folded(line)));
      expect(await matches(`${negated ? '-' : ''}line:(${query})`, text, 'zzz.md')).toBe(some !== negated);
    }),
    { seed: 20261127, numRuns: 1500 },
  );
});

test('section: is the whole note where there is no heading', async () => {
  await fc.assert(
    fc.asyncProperty(condition, note, async ({ query, test: expected }, text) => {
      expect(await matches(`section:(${query})`, text, 'zzz.md')).toBe(expected(folded(text)));
    }),
    { seed: 20261127, numRuns: 500 },
  );
});

test('patterns reach the end of a long note, in windows', async () => {
  const text = `${'some line of words\n'.repeat(20_000)}the end: 2024-05\n`;
  expect(await matches('/^the end: \\d{4}/', text)).toBe(true);
  expect(await matches('/words\\nthe end/', text)).toBe(true);
  expect(await matches('/end: \\d{5}/', text)).toBe(false);
  expect(await matches('/needle$/', `${'x'.repeat(300_000)}needle`)).toBe(true);
});

test('properties and tags inside a scope, nested scopes', async () => {
  expect(await matches('line:(tag:#work call)', 'x #work\ncall #work/now it')).toBe(true);
  expect(await matches('line:(tag:#work call)', 'x #work\ncall')).toBe(false);
  expect(await matches('section:(line:(a b) c)', '# H\na b\nc')).toBe(true);
  expect(await matches('section:(line:(a b) c)', '# H\na b\n# I\nc')).toBe(false);
  expect(await matches('match-case:line:(Foo bar)', 'foo bar\nFoo bar')).toBe(true);
  expect(await matches('match-case:line:(Foo bar)', 'foo bar')).toBe(false);
});

test('says when the time ran out before it knew', async () => {
  expect(await matches('line:(a zz)', 'zz\na\n'.repeat(200_000), 'N.md', 0)).toBe(undefined);
});
