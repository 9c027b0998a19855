import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';

const CASES: readonly [name: string, text: string, math: readonly string[], links: readonly string[]][] = [
  ['marks on lines of their own', '$$\nx [[a]]\n$$\n\n[[b]]\n', ['$$\nx [[a]]\n$$'], ['b']],
  ['a formula that starts beside its mark', '$$x [[a]]\n$$\n\n[[b]]\n', ['$$x [[a]]\n$$'], ['b']],
  ['a formula that ends beside its mark', '$$\nx [[a]]$$\n\n[[b]]\n', ['$$\nx [[a]]$$'], ['b']],
  [
    'as Notion exports it',
    '> $$|x| = {  \n> y [[a]]\n> }$$\n\n[[b]]\n',
    ['$$|x| = {  \n> y [[a]]\n> }$$'],
    ['b'],
  ],
  ['blank lines inside', '$$\nx\n\ny [[a]]\n$$\n[[b]]\n', ['$$\nx\n\ny [[a]]\n$$'], ['b']],
  ['opened at the end of a line of text', 'so $$\nx [[a]]\n$$\n\n[[b]]\n', ['$$\nx [[a]]\n$$'], ['b']],
  ['with a list in it', 'so $$\n- x [[a]]\n$$\n[[b]]\n', ['$$\n- x [[a]]\n$$'], ['b']],
  ['text behind the closing mark', '$$\nx\n$$ so [[a]]\n', ['$$\nx\n$$'], ['a']],
  ['in a list item', '- so $$\n  x [[a]]\n  $$\n- [[b]]\n', ['$$\n  x [[a]]\n  $$'], ['b']],
  ['in a paragraph', 'so $$x\n[[a]] y$$ and [[b]]\n', ['$$x\n[[a]] y$$'], ['b']],
  ['on one line', '$$x [[a]]$$ and $$[[b]]$$ [[c]]\n', ['$$x [[a]]$$', '$$[[b]]$$'], ['c']],
  ['CRLF', 'so $$\r\nx [[a]]\r\n$$\r\n\r\n[[b]]\r\n', ['$$\r\nx [[a]]\r\n$$'], ['b']],
  ['never closed', '$$\nx [[a]]\n\n[[b]]\n', [], ['a', 'b']],
  ['not closed in its quote', '> $$\n> [[a]]\n\n$$\n[[b]]\n', [], ['a', 'b']],
  ['prices in a list', '- [[a]] $$\n- [[b]] $$\n- [[c]] $$$\n', [], ['a', 'b', 'c']],
  ['a price and a formula', 'Price: $$\n\n[[a]]\n\n$$\nx\n$$\n[[b]]\n', ['$$\nx\n$$'], ['a', 'b']],
  ['marks in code', '```\n$$\n```\n[[a]] `$$` \n', ['```\n$$\n```', '`$$`'], ['a']],
  ['escaped', '\\$$\n[[a]]\n\\$$\n', [], ['a']],
];

describe('math over several lines', () => {
  it.each(CASES)('%s', (_, text, math, links) => {
    const note = parseNote(text, { dialect: 'obsidian' });
    expect(note.opaque.map(({ start, end }) => text.slice(start, end))).toEqual(math);
    expect(note.links.map(({ target }) => target)).toEqual(links);
  });

  it('hides no heading that follows and makes none of its own', () => {
    const text = '# A\n$$a\n# not\nb\n=\n$$\n\n# B $$\n\n# C\n';
    const { headings } = parseNote(text, { dialect: 'obsidian' });
    expect(headings.map((heading) => heading.text)).toEqual(['A', 'B $$', 'C']);
  });

  it('is what a block id below it names', () => {
    const text = 'text\n$$a\nb$$\n\n^id\n';
    const [block] = parseNote(text, { dialect: 'obsidian' }).blocks;
    expect(block && text.slice(block.span.start, block.span.end)).toBe('$$a\nb$$');
  });

  it('is text in SilverBullet, which has none', () => {
    const { links } = parseNote('$$a\n[[b]]$$\n', { dialect: 'silverbullet' });
    expect(links.map(({ target }) => target)).toEqual(['b']);
  });
});
