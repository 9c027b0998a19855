import { describe, expect, it } from 'vitest';
import type { Dialect } from '../model.ts';
import { parseNote } from '../parse.ts';
import { isTagName, tagKey } from './tags.ts';

function tags(text: string, dialect: Dialect = 'obsidian'): string[] {
  return parseNote(text, { dialect }).tags.map(({ name }) => name);
}

describe('tags in the body', () => {
  it('may hold digits, letters of any script, emoji and slashes, but not digits alone', () => {
    expect(
      tags('#1990s #2024-goals #3d #café #日本語 #✅done #1984 #y1984 #_x #a/b #2024-01 #12/34\n'),
    ).toEqual(['1990s', '2024-goals', '3d', 'café', '日本語', '✅done', 'y1984', '_x', 'a/b', '2024-01']);
  });

  it('start a line or follow whitespace', () => {
    expect(
      tags('(#pa) "#pc" .#pd x—#pe\n\t#pf [x #ph] #qi　#qj\n<!-- #c1 -->\n$a #m b$ %%#k%%\n`#i`\n'),
    ).toEqual(['pf', 'ph', 'qi', 'qj']);
    expect(tags('>#quoted\n>> >#deep\n\n**#bold** a\u00a0#nbsp <b>#no')).toEqual(['quoted', 'deep', 'nbsp']);
  });

  it('can be escaped and end at punctuation', () => {
    expect(tags('\\#foobar and #real, end\n')).toEqual(['real']);
    expect(tags('#don’t #a—b #c&d #e+f #g@h #i=j #k⚙ #l–m\n')).toEqual([
      'don',
      'a',
      'c',
      'e',
      'g',
      'i',
      'k⚙',
      'l',
    ]);
    expect(tags('#end/ #/ #a//\n')).toEqual(['end', 'a']);
  });

  it('are not in code, URLs, links or longer tags', () => {
    const text =
      '#todo `#todo` https://x/#todo [l](a.md#todo) [in #text](b.md)\n```dataview\nLIST FROM #todo\n```\n#todo`x\n#todo-list\n';
    const note = parseNote(text, { dialect: 'obsidian' });
    expect(note.tags.map(({ name, line }) => [name, line])).toEqual([
      ['todo', 1],
      ['todo', 5],
      ['todo-list', 6],
    ]);
  });

  it('stand in headings, tables and lists', () => {
    expect(tags('# H #one\n\n| #two |\n|---|\n| x #three |\n\n- [ ] #four\n\nSet #five\n---\n')).toEqual([
      'one',
      'two',
      'three',
      'four',
      'five',
    ]);
  });

  it('are not hidden by prices', () => {
    expect(tags('costs $5 #a and $6 #b')).toEqual(['a', 'b']);
    expect(tags('costs $5 #c or EU$6 #d')).toEqual(['c', 'd']);
  });
});

describe('tags in properties', () => {
  it('are entries without a space under `tags` in any case', () => {
    const text = '---\nTAGS: [Alpha, "#b/c", "no tag", 12, "34", x/]\ntag: no\nsub: {tags: no}\n---\n#body\n';
    const note = parseNote(text, { dialect: 'obsidian' });
    expect(note.tags.map(({ name, property, line }) => [name, property, line])).toEqual([
      ['Alpha', 'TAGS.0', 2],
      ['b/c', 'TAGS.1', 2],
      ['x', 'TAGS.5', 2],
      ['body', undefined, 6],
    ]);
    for (const { name, span } of note.tags) expect(text.slice(span.start, span.end)).toBe(name);
  });

  it('may be one plain string, but not several in one', () => {
    expect(tags('---\ntags: a\n---\n')).toEqual(['a']);
    expect(tags('---\ntags: a, b\n---\n')).toEqual([]);
  });

  it('of a block list keep their places', () => {
    const text = "---\r\ntags:\r\n  - a\r\n  - '#a/b'\r\n---\r\n";
    const note = parseNote(text, { dialect: 'obsidian' });
    expect(note.tags.map(({ span }) => text.slice(span.start, span.end))).toEqual(['a', 'a/b']);
  });
});

describe('other dialects', () => {
  it('SilverBullet allows spaces in brackets and lists in one string', () => {
    expect(tags('---\ntags: "a, #b c"\n---\n#d #<two words> (#no) #12 #e/f;\n', 'silverbullet')).toEqual([
      'a',
      'b',
      'c',
      'd',
      'two words',
      'e/f;',
    ]);
  });

  it('Logseq splits page tags at commas', () => {
    expect(tags('tags:: one, two words\n\n- #three #[[four five]]\n', 'logseq')).toEqual([
      'one',
      'two words',
      'three',
      'four five',
    ]);
  });
});

describe('comparing tags', () => {
  it('folds case and Unicode form', () => {
    expect(tagKey('#Cafe\u0301/')).toBe('café');
  });

  it('knows a name', () => {
    expect(['a', 'a/b', '1a', 'a b', '12', 'a/', '', 'a,b', '#a'].map(isTagName)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
