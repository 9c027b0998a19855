import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileLookup } from '../../notes/links/resolve.ts';
import type { Dialect } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { nameKey } from '../../notes/path.ts';
import type { LinkedHome, LinkMap } from './link-map.ts';
import { mapLinks } from './map-links.ts';

const FILES = [
  'Index.md',
  'Notes/Harbour.md',
  'Notes/Tide (table).md',
  'Notes/Deep/Index.md',
  'Notes/Deep/a "quoted" name.md',
  'Notes/Deep/crane.png',
  'Notes/Deep/plan #1.pdf',
  'Café – Ünï.md',
];
const idOf = (path: string) => `${FILES.indexOf(path) + 1}`.padStart(32, 'abcdef0');

function lookup(paths: readonly string[]): FileLookup {
  return {
    byName: (key) => paths.filter((path) => nameKey(path) === key),
    byId: (id) => paths.filter((path) => idOf(path) === id),
  };
}

const folder = (dialect: Dialect = 'obsidian'): LinkedHome => ({
  byId: false,
  dialect,
  files: lookup(FILES),
});
const joplin: LinkedHome = { byId: true, dialect: 'obsidian', files: lookup(FILES) };

function between(from: LinkedHome, to: LinkedHome, carried: readonly string[] = FILES): LinkMap {
  const target = (path: string) => (carried.includes(path) ? { path, id: idOf(path) } : undefined);
  return { from, to, target };
}

const NOTE = 'Notes/Harbour.md';
function mapped(text: string, from: LinkedHome, to: LinkedHome, carried?: readonly string[]) {
  const parsed = parseNote(text, { dialect: from.dialect });
  return mapLinks(parsed, { from: NOTE, to: NOTE }, between(from, to, carried));
}

const toJoplin = (text: string) => mapped(text, folder(), joplin);
const toFolder = (text: string) => mapped(text, joplin, folder());
const there = (text: string) => toJoplin(text).text;
const back = (text: string) => toFolder(text).text;

describe('links to a home of ids', () => {
  const crane = idOf('Notes/Deep/crane.png');
  const index = idOf('Index.md');
  it.each([
    ['[x](Deep/crane.png)', `[x](:/${crane})`],
    ['![x](<Deep/crane.png>)', `![x](<:/${crane}>)`],
    ['[x](./Deep/crane.png)', `[x](:/${crane} "./Deep/crane.png")`],
    ['[x](../Index.md#What%20is%20it?)', `[x](:/${index}#what-is-it "../Index.md#What%20is%20it?")`],
    ['[x](../Index.md "T")', `[x](:/${index} "T")`],
    ['[x][r]\n\n[r]: ../Index.md', `[x][r]\n\n[r]: :/${index}`],
    ['![[crane.png|300]]', `![300](:/${crane} "![[crane.png|300]]")`],
    ['[[plan #1.pdf]]', '[[plan #1.pdf]]'],
    ['[[Index#A#B c|see [it]]]', `[see \\[it\\]](:/${index}#b-c "[[Index#A#B c|see [it]]]")`],
    ['![[Index]]', `[Index](:/${index} "![[Index]]")`],
    ['[[#Here now]]', '[Here now](#here-now "[[#Here now]]")'],
    ['| [[Index\\|i]] | b |\n|-|-|\n', `| [i](:/${index} "[[Index\\|i]]") | b |\n|-|-|\n`],
    ['<img src="Deep/crane.png" width=3>', `<img src=":/${crane}" width=3>`],
    ['`[[Index]]` and %%[[Index]]%%', '`[[Index]]` and %%[[Index]]%%'],
    [
      '[[Nowhere]] [y](nowhere.md) [z](https://example.org)',
      '[[Nowhere]] [y](nowhere.md) [z](https://example.org)',
    ],
    ['[x](#here)', '[x](#here)'],
  ])('%s', (text, expected) => {
    expect(there(text)).toBe(expected);
    expect(back(expected)).toBe(text);
  });

  it('a link to what is not carried stays, and is told of with its line', () => {
    const { text, left } = mapped('a\n[[Index]] [[Harbour]]', folder(), joplin, [NOTE]);
    expect(text).toContain('[[Index]]');
    expect(left).toEqual([{ line: 2, target: 'Index', reason: 'not_copied' }]);
  });

  it('a text that was changed there goes along, with a link that leads where it led', () => {
    const changed = there('[[Index|old]]').replace('[old]', '[new]');
    expect(back(changed)).toBe('[new](../../Index.md "[[Index|old]]")'.replace('../../', '../'));
  });

  it('what was written otherwise and cannot be told by a title is counted', () => {
    const { text, respelled } = toJoplin('[x](./Deep/crane.png "T")');
    expect([text, respelled]).toEqual([`[x](:/${crane} "T")`, 1]);
  });
});

const text = fc.constantFrom(
  'x',
  'two words',
  'a|b',
  '[in] it',
  '"q"',
  "it's",
  '(p)',
  'ends \\',
  '*b*',
  '',
  '`c`',
  'é',
);
const sub = fc.constantFrom('', '#Heading', '#A "B"', '#^block', '#a#b', '#Ünï – x', "#it's (so)");
const path = fc.constantFrom(
  ...FILES,
  'Index',
  'Harbour',
  'crane.png',
  'Deep/Index',
  '../Index.md',
  './Deep/crane.png',
  'Nowhere',
  '',
);
const encoded = path.map((one) => one.replaceAll(' ', '%20').replaceAll('"', '%22').replaceAll('#', '%23'));
const link = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '!'), path, sub, fc.option(text))
    .map(([bang, to, at, shown]) => `${bang}[[${to}${at}${shown === null ? '' : `|${shown}`}]]`),
  fc
    .tuple(fc.constantFrom('', '!'), text, encoded, sub, fc.constantFrom('', ' "T"', " 'T'"))
    .map(([bang, shown, to, at, title]) => `${bang}[${shown}](${to}${at.replaceAll(' ', '%20')}${title})`),
  fc.tuple(text, path, sub).map(([shown, to, at]) => `[${shown}](<${to}${at}>)`),
  fc.tuple(encoded, fc.constantFrom('"', "'")).map(([to, quote]) => `<img src=${quote}${to}${quote}>`),
);
const between_ = fc.constantFrom(
  ' ',
  '\n',
  '\n\n',
  '| ',
  '\n- ',
  '\n> ',
  ' `',
  '**',
  '\r\n',
  ' $x$ ',
  '<!-- ',
  ' --> ',
  '%%',
);
const note = fc.array(fc.oneof(link, text, between_), { maxLength: 14 }).map((parts) => parts.join(''));
const idLink = fc
  .tuple(
    fc.constantFrom('', '!'),
    text,
    fc.constantFrom(...FILES, 'other'),
    fc.constantFrom('', '#a-b', '#x'),
    fc.constantFrom('', ' "T"', ' "[[Index]]"'),
  )
  .map(
    ([bang, shown, to, at, title]) =>
      `${bang}[${shown}](:/${to === 'other' ? 'f'.repeat(32) : idOf(to)}${at}${title})`,
  );
const joplinNote = fc
  .array(fc.oneof(idLink, text, between_), { maxLength: 14 })
  .map((parts) => parts.join(''));

describe('there and back', () => {
  it('from a folder to ids and back gives the same bytes, but for what is counted', () => {
    fc.assert(
      fc.property(note, (given) => {
        const once = toJoplin(given);
        if (once.respelled > 0) return;
        expect(back(once.text)).toBe(given);
      }),
      { numRuns: 300 },
    );
  });

  it('every link that is by id leads to the file it led to', () => {
    fc.assert(
      fc.property(note, (given) => {
        const before = parseNote(given, { dialect: 'obsidian' });
        const once = mapLinks(before, { from: NOTE, to: NOTE }, between(folder(), joplin));
        const again = mapLinks(
          parseNote(once.text, { dialect: 'obsidian' }),
          { from: NOTE, to: NOTE },
          between(joplin, folder()),
        );
        // The target of a path in HTML is known by its id only.
        for (const one of again.leadsTo) expect([...once.leadsTo]).toContain(one);
        expect(again.left).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('from ids to a folder and back gives the same bytes', () => {
    fc.assert(
      fc.property(joplinNote, (given) => {
        // A wikilink by name becomes one by id on the way back.
        if (there(given) !== given) return;
        const once = toFolder(given);
        const twice = toJoplin(once.text);
        if (twice.respelled > 0) return;
        expect(twice.text).toBe(given);
      }),
      { numRuns: 100 },
    );
  });
});

describe('links between homes of paths', () => {
  const toSpace = (given: string) => mapped(given, folder(), folder('silverbullet'));
  const fromSpace = (given: string) => mapped(given, folder('silverbullet'), folder());
  it.each([
    ['[[Harbour]]', '[[Notes/Harbour|Harbour]]'],
    ['[[Harbour#Cranes]]', '[[Notes/Harbour#Cranes|Harbour#Cranes]]'],
    ['[[Notes/Harbour]]', '[[Notes/Harbour]]'],
    ['[x](Deep/crane.png)', '[x](Deep/crane.png)'],
  ])('%s', (given, expected) => {
    expect(toSpace(given).text).toBe(expected);
    expect(fromSpace(expected).text).toBe(given);
  });
  it('a link with a text of its own is spelled out, and counted', () => {
    expect(toSpace('[[Harbour|h]]')).toMatchObject({ text: '[[Notes/Harbour|h]]', respelled: 1 });
  });
  it('between two folders nothing changes', () => {
    fc.assert(
      fc.property(note, (given) => {
        expect(mapped(given, folder(), folder()).text).toBe(given);
      }),
      { numRuns: 100 },
    );
  });
});
