import { describe, expect, it } from 'vitest';
import { WORK_HERE } from '../budgets.ts';
import { errorsIn } from './frontmatter/frontmatter.ts';
import { parseNote } from './parse.ts';
import { isTooMuchWork, workOf } from './work.ts';

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

describe('a text that would take minutes', () => {
  const HEAD = '---\ntags: [kept]\nup: "[[Above]]"\n---\n# Head\n\n[[Link]] #tag\n\n- [ ] task\n\n';
  const LENGTH = 300_000;
  const hostile: (readonly [string, string])[] = [
    '[[é]] ',
    '$é',
    '<é',
    '[é](',
    '[é]',
    '`é',
    '![é',
    '*é',
    '~~é',
    '&é',
    'http://é',
  ].map((piece) => [piece, piece.repeat(LENGTH / piece.length)] as const);

  hostile.push(['footnotes', `é\n${'[^a]\n'.repeat(LENGTH / 5)}`]);
  it.each(hostile)('is known by its properties alone: %s', (_, body) => {
    const text = HEAD + body;
    expect(isTooMuchWork(text)).toBe(true);
    const note = parseNote(text, { dialect: 'obsidian' });
    expect(note.frontmatter?.data).toEqual({ tags: ['kept'], up: '[[Above]]' });
    expect(note.links.map(({ target }) => target)).toEqual(['Above']);
    expect(note.tags.map(({ name }) => name)).toEqual(['kept']);
    expect([note.headings, note.tasks, note.blocks]).toEqual([[], [], []]);
    expect(note.opaque).toEqual([{ start: note.bodyStart, end: text.length }]);
  });

  const prose = 'Un paragraphe à lire, [[lié]] à *un autre*, avec `du code` et #une-étiquette. ';
  it.each([
    ['ten thousand such paragraphs', `${prose.repeat(8)}\n\n`.repeat(1500)],
    ['one paragraph of 80,000 characters in one line', prose.repeat(1000)],
    ['marks in one line of ASCII', '[[a]] *b* '.repeat(40_000)],
    ['a line of base64', `${'QUJDREVGR0g'.repeat(200_000)}é`],
    ['a table of 20,000 rows', `| é | b |\n| - | - |\n${'| *é* | [[b]] |\n'.repeat(20_000)}`],
    ['a line without marks', 'é'.repeat(2_000_000)],
  ])('is not %s', (_, text) => {
    expect(isTooMuchWork(HEAD + text)).toBe(false);
  });
});
