import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { linkedId, statedId } from './id-links.ts';
import { resolveLink } from './resolve.ts';

const ID = '0123456789abcdef0123456789abcdef';
const links = (text: string) =>
  parseNote(text, { dialect: 'obsidian' }).links.map(({ target, subpath, embed }) => [
    target,
    subpath,
    embed,
  ]);

describe('links by id', () => {
  it.each([
    [`[a](:/${ID})`, [[`:/${ID}`, '', false]]],
    [`[a](:/${ID}#a-heading)`, [[`:/${ID}`, '#a-heading', false]]],
    [`![a](:/${ID})`, [[`:/${ID}`, '', true]]],
    [`[a](<:/${ID}> "title")`, [[`:/${ID}`, '', false]]],
    [`[a][b]\n\n[b]: :/${ID}\n`, [[`:/${ID}`, '', false]]],
    [`<img src=":/${ID}" width="100">`, [[`:/${ID}`, '', true]]],
    [`text <img width=1 src = ':/${ID}'/> text`, [[`:/${ID}`, '', true]]],
    [`<a href=":/${ID}#Plan">x</a>`, [[`:/${ID}`, '#Plan', false]]],
    [
      `<div>\n<img src=":/${ID}">\n<video src=":/${ID.toUpperCase()}"></video>\n</div>`,
      [
        [`:/${ID}`, '', true],
        [`:/${ID.toUpperCase()}`, '', true],
      ],
    ],
  ])('%j has them', (text, expected) => expect(links(text)).toEqual(expected));

  it.each([
    '`[a](:/ID)`',
    '```\n<img src=":/ID">\n```',
    '<!-- <img src=":/ID"> -->',
    '%%\n<img src=":/ID">\n%%',
    '<img src=":/IDx">',
    '<img src="https://example.org/:/ID">',
    '<img src=":/ID>',
    'src=":/ID"',
    '    <img src=":/ID">',
  ])('%j has none', (text) => expect(links(text.replaceAll('ID', ID))).toEqual([]));

  it('have spans that are what is written', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            `<img src=":/${ID}">`,
            `<a href=':/${ID}#B c'>`,
            '</a>',
            '<!--',
            '-->',
            'x ',
            '\n',
            '<',
            '"',
            '🌊',
          ),
        ),
        (parts) => {
          const text = parts.join('');
          for (const { target, targetSpan, subpath, subpathSpan, span } of parseNote(text, {
            dialect: 'obsidian',
          }).links) {
            expect(text.slice(targetSpan.start, targetSpan.end)).toBe(target);
            expect(text.slice(subpathSpan.start, subpathSpan.end)).toBe(subpath);
            expect(span.start).toBeLessThan(targetSpan.start);
          }
        },
      ),
    );
  });

  it('are such by Markdown and HTML alone, with 32 digits', () => {
    expect(linkedId(`:/${ID.toUpperCase()}`, 'markdown')).toBe(ID);
    for (const target of [`:/${ID}0`, `/${ID}`, ID, `:/${ID}/x`])
      expect(linkedId(target, 'markdown')).toBeUndefined();
    expect(linkedId(`:/${ID}`, 'wiki')).toBeUndefined();
  });

  it('lead to the one file of that id, and to none of several', () => {
    const holders = (...paths: string[]) => ({ byName: () => ['other.md'], byId: () => paths });
    const resolve = (files: ReturnType<typeof holders>) =>
      resolveLink('n.md', `:/${ID}`, 'markdown', files, 'obsidian');
    expect(resolve(holders('a.md'))).toEqual({ path: 'a.md', ambiguous: [] });
    expect(resolve(holders())).toEqual({ path: undefined, ambiguous: [] });
    expect(resolve(holders('a.md', 'b.md'))).toEqual({ path: undefined, ambiguous: ['a.md', 'b.md'] });
  });
});

it.each([
  [`id: ${ID}`, ID],
  [`ID: "${ID.toUpperCase()}"`, ID],
  ['id: 00000000000000000000000000000012', '00000000000000000000000000000012'],
  ['id: 12e45678901234567890123456789012', '12e45678901234567890123456789012'],
  [`id: ${ID} # the note's`, ID],
  ['id: 42', undefined],
  ['id: [a]', undefined],
  [`key: ${ID}`, undefined],
])('a note that says %j states the id %s', (line, id) => {
  const text = `---\ntitle: x\n${line}\n---\ntext\n`;
  expect(statedId(parseNote(text, { dialect: 'obsidian' }).frontmatter, text)).toBe(id);
});
