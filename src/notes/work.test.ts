import { describe, expect, it } from 'vitest';
import { WORK_HERE } from '../budgets.ts';
import { errorsIn } from './frontmatter/frontmatter.ts';
import { parseNote } from './parse.ts';
import { workOf } from './work.ts';

describe('how much work a text is', () => {
  it.each([
    ['marks in one line that is not all ASCII', 'é<', 16_000],
    ['links in one such line', 'é[a](b) ', 60_000],
    ['emphasis that is put out of the sight of the parser', '_<', 16_000],
    ['comments that cross each other', '%%\n', 4000],
    ['comments in code', '`a%%a', 4000],
    ['footnotes', 'é\n[^a]', 60_000],
  ])('is more than its length for %s', (_, piece, length) => {
    const text = piece.repeat(length / piece.length);
    expect(workOf(text)).toBeGreaterThan(WORK_HERE);
  });

  it('is about its length for what people write', () => {
    const page = `${'Un paragraphe à lire, [[lié]] à *un autre*, avec `du code` et #une-étiquette. '.repeat(8)}\n\n`;
    const text = page.repeat(50);
    expect(workOf(text)).toBeLessThan(1.3 * text.length);
    const commented = `${page.repeat(20)}%% to do %%\n`;
    expect(workOf(commented)).toBeLessThan(3 * commented.length);
  });
});

it.each([
  ['compact maps', ': '.repeat(100_000)],
  ['compact lists', '- '.repeat(100_000)],
  ['keys of keys', '? '.repeat(100_000)],
  ['maps in brackets', `key: ${'{a: '.repeat(50_000)}`],
  ['lists in brackets', `key: ${'['.repeat(100_000)}`],
])('front matter of %s is not parsed but told', (_, yaml) => {
  const { frontmatter } = parseNote(`---\n${yaml}\n---\nbody\n`, { dialect: 'obsidian' });
  expect(errorsIn(frontmatter).map(({ code }) => code)).toEqual(['too_deep']);
});
