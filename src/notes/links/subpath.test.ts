import { describe, expect, it } from 'vitest';
import type { Dialect, Link } from '../model.ts';
import { parseNote } from '../parse.ts';
import { followedSubpath, headingChain, readSubpath } from './subpath.ts';

/** The line of the heading that a subpath leads to. */
function lineOf(
  text: string,
  subpath: string,
  syntax: Link['syntax'] = 'wiki',
  dialect: Dialect = 'obsidian',
) {
  const { headings } = parseNote(text, { dialect });
  return headings[headingChain(headings, followedSubpath(subpath, syntax, dialect))?.at(-1) ?? -1]?.line;
}

describe('following a subpath', () => {
  const text = '# R\n\n## Ex\n\na\n\n## Ex\n\n### In\n\n# S\n\n### In\n';

  it('takes the first match, each part deeper than the last', () => {
    expect(lineOf(text, '#Ex')).toBe(3);
    expect(lineOf(text, '#S#In')).toBe(13);
    expect(lineOf(text, '#In#Ex')).toBeUndefined();
    expect(lineOf(text, '#')).toBeUndefined();
  });

  it.each(['#^Ex', '# ^Ex', '#[^Ex]', '#^R#Ex', '#^'])('%s leads to no heading', (subpath) => {
    expect(lineOf(text, subpath)).toBeUndefined();
  });

  it('compares the very text in SilverBullet, where a mark belongs to it', () => {
    expect(lineOf('# A\n# ^A\n', '#^A', 'wiki', 'silverbullet')).toBe(2);
    expect(lineOf('# C# x\n', '#C# x', 'wiki', 'silverbullet')).toBe(1);
  });
});

it.each<[string, Link['syntax'], readonly string[], string]>([
  ['#A#B', 'wiki', ['A', 'B'], ''],
  ['#A#^b', 'wiki', ['A'], '#^b'],
  ['#^b', 'wiki', [], '#^b'],
  ['#%5Eb', 'markdown', [], '#%5Eb'],
  ['#a%20b#[^1]', 'markdown', ['a%20b'], '#[^1]'],
])('%s is taken apart as written', (written, syntax, headings, rest) => {
  expect(readSubpath(written, syntax, 'obsidian')).toMatchObject({ headings, rest });
});
