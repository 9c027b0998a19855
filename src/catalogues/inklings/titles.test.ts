import fc from 'fast-check';
import { expect, it } from 'vitest';
import { creatablePathProblem } from '../../notes/path.ts';
import { checkedTitle, fileNameFor, slugFor, slugify } from './titles.ts';

it.each([
  ["The Hero's Journey", 'the-hero-s-journey'],
  ['  Plan  B! ', 'plan-b'],
  ['Über Straße', 'uber-straße'],
  ['Crème brûlée', 'creme-brulee'],
  ['2026-11-29', '2026-11-29'],
  ['日本語 メモ', '日本語-メモ'],
  ['Йод', 'йод'],
  ['🦋', 'untitled'],
  ['???', 'untitled'],
  ['a/b\\c', 'a-b-c'],
])('%j has the slug %j', (title, slug) => {
  expect(slugify(title)).toBe(slug);
});

it('a slug that is taken gets a number', () => {
  expect([0, 1, 2].map((attempt) => slugFor('plan-b', attempt))).toEqual(['plan-b', 'plan-b-2', 'plan-b-3']);
});

it('titles are counted in code points, trimmed, and never blank', () => {
  expect(checkedTitle('🦋'.repeat(200))).toBe('🦋'.repeat(200));
  expect(checkedTitle(' a\nb ')).toBe('a b');
  expect(() => checkedTitle('🦋'.repeat(201))).toThrow('longer than 200 characters (it has 201)');
  for (const blank of ['', ' ', '\n\t', '\u0000', '\u2028'])
    expect(() => checkedTitle(blank)).toThrow('blank');
});

it.each([
  ['Who: what? / 50%%', 'Who what 50'],
  ['C#', 'C'],
  ['...hidden', 'hidden'],
  ['CON', 'Page CON'],
  ['???', 'Untitled'],
  ['a '.repeat(99).trim(), 'a '.repeat(99).trim()],
  ['é'.repeat(200), 'é'.repeat(120)],
])('the file for %j is %j', (title, name) => {
  expect(fileNameFor(title)).toBe(name);
});

it('every title has a file that can be made on every system and linked to', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), (title) => {
      fc.pre(title.trim() !== '' && !/\p{Surrogate}/u.test(title));
      expect(creatablePathProblem(`${fileNameFor(title)} 12.md`)).toBeUndefined();
      expect(creatablePathProblem(`${fileNameFor(title)}.md`)).toBeUndefined();
    }),
  );
});
