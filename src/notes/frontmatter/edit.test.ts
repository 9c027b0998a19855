import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LecternError } from '../../errors.ts';
import type { Dialect } from '../model.ts';
import { addToListProperty, applySplices, createFrontmatter, deleteProperty, setProperty } from './edit.ts';
import { parseFrontmatter } from './frontmatter.ts';

const set = (text: string, key: string, value: unknown, dialect: Dialect = 'obsidian') =>
  applySplices(text, setProperty(text, dialect, key, value));
const remove = (text: string, key: string, dialect: Dialect = 'obsidian') =>
  applySplices(text, deleteProperty(text, dialect, key));
const add = (text: string, key: string, item: unknown, dialect: Dialect = 'obsidian') =>
  applySplices(text, addToListProperty(text, dialect, key, item));
const note = (...lines: string[]) => ['---', ...lines, '---', 'body', ''].join('\n');

function refusal(run: () => unknown): LecternError {
  try {
    run();
  } catch (error) {
    if (error instanceof LecternError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('setProperty', () => {
  it('changes the one line and keeps quotes, comments, spacing, list style, blank lines and order', () => {
    const lines = [
      'created: 2026-04-23   # first draft',
      'related: "[[John-Brown]]"',
      'list: [a, "b c"]',
      '',
    ];
    expect(set(note(...lines, 'status: open'), 'status', 'done')).toBe(note(...lines, 'status: done'));
  });

  it('keeps a trailing comment, CRLF and BOM', () => {
    expect(set(note('created: 2026-04-23   # first draft'), 'created', '2026-04-24')).toBe(
      note('created: 2026-04-24   # first draft'),
    );
    expect(set('---\r\nk: v\r\n---\r\n\r\n# H\r\n', 'k', 'w')).toBe('---\r\nk: w\r\n---\r\n\r\n# H\r\n');
    expect(set('\ufeff---\ntitle: With BOM\n---\nbody\n', 'title', 'New')).toBe(
      '\ufeff---\ntitle: New\n---\nbody\n',
    );
  });

  it('leaves the body alone, blank lines and rules included', () => {
    expect(set('---\na: 1\n---\nfirst line\nsecond\n', 'a', 2)).toBe('---\na: 2\n---\nfirst line\nsecond\n');
    expect(set('---\na: 1\n---\n\n\nspaced\n', 'a', 2)).toBe('---\na: 2\n---\n\n\nspaced\n');
    const rules = '# Test\n\nS1\n\n---\n\nS2: x\n\n---\n\nS3\n';
    expect(set(rules, 'k', 'v')).toBe(`---\nk: v\n---\n${rules}`);
    expect(set('---\na: 1\n---\ntext\n\n---\nmore: text\n---\n', 'sr', 'x')).toBe(
      '---\na: 1\nsr: x\n---\ntext\n\n---\nmore: text\n---\n',
    );
  });

  it('makes a block where there is none, in the line ending of the note, after a BOM', () => {
    expect(set('\ufeffa\r\nb\r\n', 'k', ['x'])).toBe('\ufeff---\r\nk:\r\n  - x\r\n---\r\na\r\nb\r\n');
    expect(set('', 'k', 1)).toBe('---\nk: 1\n---\n');
    expect(set('---\n---\nx', 'k', 1)).toBe('---\nk: 1\n---\nx');
  });

  it('leaves lines with unquoted wikilinks byte-identical', () => {
    const lines = ['who: [[Bill Gates]]', 'ok: "[[Bill Gates]]"', 'list:', '  - [[A]]'];
    expect(set(note(...lines), 'z', 1)).toBe(note(...lines, 'z: 1'));
  });

  it('finds the key regardless of case, and refuses to guess between two', () => {
    expect(set(note('Status: open'), 'status', 'done')).toBe(note('Status: done'));
    expect(set(note('A: 1', 'a: 2'), 'a', 3)).toBe(note('A: 1', 'a: 3'));
    expect(refusal(() => set(note('Ab: 1', 'aB: 2'), 'ab', 3))).toMatchObject({
      code: 'ambiguous',
      details: { candidates: ['Ab', 'aB'] },
    });
  });

  it('keeps the kind of quotes', () => {
    expect(set(note("a: 'x'"), 'a', 'y')).toBe(note("a: 'y'"));
    expect(set(note('a: "x"'), 'a', 'y')).toBe(note('a: "y"'));
    expect(set(note('a: x', "b: 'q'"), 'a', '- y')).toBe(note("a: '- y'", "b: 'q'"));
    expect(set(note('a: "x"'), 'a', 5)).toBe(note('a: 5'));
  });

  it('turns one kind of value into another', () => {
    expect(set(note('a: x # c', 'b: 1'), 'a', ['p', 'q'])).toBe(note('a: # c', '  - p', '  - q', 'b: 1'));
    expect(set(note('a:', '  - p # c', '  # d', '  - q', 'b: 1'), 'a', 'x')).toBe(note('a: x', 'b: 1'));
    expect(set(note('a: # keep', '  - p', 'b: 1'), 'a', 'x')).toBe(note('a: x # keep', 'b: 1'));
    expect(set(note('a:', 'b: 1'), 'a', 'x')).toBe(note('a: x', 'b: 1'));
    expect(set(note('a: ', 'b: 1'), 'a', 'x')).toBe(note('a: x', 'b: 1'));
    expect(set(note('a: x', 'b: 1'), 'a', null)).toBe(note('a:', 'b: 1'));
    expect(set(note('a: |', '  one', '  two', 'b: 1'), 'a', 'x')).toBe(note('a: x', 'b: 1'));
    expect(set(note('a: |+', '  one', '', 'b: 1'), 'a', 'x')).toBe(note('a: x', 'b: 1'));
    expect(set(note('a: x', 'b: 1'), 'a', 'one\ntwo')).toBe(note('a: |-', '  one', '  two', 'b: 1'));
    expect(set(note('a: x'), 'a', { k: ['v'], e: {} })).toBe(note('a:', '  k:', '    - v', '  e: {}'));
  });

  it('replaces a template placeholder', () => {
    expect(set(note('created: {{date}}', 'rating:'), 'created', '2024-05-06')).toBe(
      note('created: 2024-05-06', 'rating:'),
    );
  });

  it('writes a list in the style of the list it replaces, and keeps the bytes of items that stay', () => {
    expect(set(note('a: [ x, y ]'), 'a', ['z'])).toBe(note('a: [ z ]'));
    expect(set(note('a:', '- x', '- y'), 'a', ['z'])).toBe(note('a:', '- z'));
    expect(set(note('a: [\'x\' , "y",z]'), 'a', ['x', 'z'])).toBe(note("a: ['x' , z]"));
    expect(set(note('a:', "  - 'x' # one", '  # two', '  - y'), 'a', ['x', 'y', 'z'])).toBe(
      note('a:', "  - 'x' # one", '  # two', '  - y', '  - z'),
    );
  });

  it('edits JSON front matter as JSON', () => {
    expect(set(note('{"a": 1, "b": [1, "x"]}'), 'b', ['y'])).toBe(note('{"a": 1, "b": ["y"]}'));
    expect(set(note('{', '  "a": 1', '}'), 'b', 'x')).toBe(note('{', '  "a": 1,', '  "b": "x"', '}'));
    expect(set(note('{}'), 'b', 'x')).toBe(note('{"b": "x"}'));
    expect(remove(note('{"a": 1, "b": 2}'), 'a')).toBe(note('{"b": 2}'));
    expect(remove(note('{"a": 1, "b": 2}'), 'b')).toBe(note('{"a": 1}'));
  });

  it('does nothing when the value is the same already', () => {
    expect(setProperty(note("a: 'x'"), 'obsidian', 'a', 'x')).toEqual([]);
    expect(setProperty(note('a: [1, 2]'), 'obsidian', 'A', [1, 2])).toEqual([]);
  });

  it.each([
    [note('x:', '\t- 1', 'y: 2'), 'tab used for indentation, line 3'],
    [note('title: A', 'title: B'), 'duplicate key "title" (lines 2 and 3)'],
    [note('- a', '- b'), 'not a map'],
    [note('a: b: c'), 'line 2'],
    [note('a: "open'), 'line'],
    [note('a: {{date}} {{time}}'), 'line 2'],
    [note('a: *nobody'), 'no anchor'],
  ])('refuses %j', (text, reason) => {
    for (const run of [() => set(text, 'y', 3), () => remove(text, 'y'), () => add(text, 'y', 3)]) {
      const error = refusal(run);
      expect(error.code).toBe('invalid_input');
      expect(error.message).toContain(reason);
    }
  });

  it('refuses an edit that would change another property through an anchor', () => {
    const text = note('a: &x 1', 'b: *x');
    expect(refusal(() => set(text, 'a', 2)).code).toBe('invalid_input');
    expect(refusal(() => remove(text, 'a')).code).toBe('invalid_input');
    expect(set(text, 'b', 2)).toBe(note('a: &x 1', 'b: 2'));
  });

  it.each([undefined, Number.NaN, () => 1, 1n, [undefined]])('refuses %s, which is no JSON', (value) => {
    expect(refusal(() => set('x', 'k', value)).code).toBe('invalid_input');
  });

  it('refuses a key that is no key', () => {
    for (const key of ['', ' ', 'a\nb', 'k'.repeat(2000)]) {
      expect(refusal(() => set('x', key, 1)).code).toBe('invalid_input');
    }
  });
});

describe('deleteProperty', () => {
  it('takes the whole pair, however many lines it has', () => {
    expect(remove(note('a: 1', 'b:', '  - x', '  - y # c', 'c: 2'), 'B')).toBe(note('a: 1', 'c: 2'));
    expect(remove(note('a: |', '  x', '', '  y', 'c: 2'), 'a')).toBe(note('c: 2'));
    expect(remove(note('# top', 'a: 1', '', 'c: 2'), 'a')).toBe(note('# top', '', 'c: 2'));
  });

  it.each([
    ['the inner comment of a map', ['b:', '  c: 2', '  # inner'], ['# about d', 'd: 3']],
    [
      'those between blank lines',
      ['b:', '  c: 2', '', '  # one', '', '    # two'],
      ['', '# about d', 'd: 3'],
    ],
    ['that of a list', ['b:', '  - x', '  # inner'], ['d: 3']],
    ['that of a list without indentation', ['b:', '- x', '  # inner'], ['# about d', 'd: 3']],
    ['that of an empty value', ['b:', '  # nothing yet'], ['d: 3']],
    ['that below a text of several lines', ['b: |', '    x', '  # inner'], ['d: 3']],
    ['that of the last property', ['b:', '  c: 2', '  # inner'], []],
    ['one with tabs and CR', ['b:\r', '  c: 2\r', '\t# inner\r'], ['# about d\r', 'd: 3\r']],
  ])('takes with a pair what is said within it: %s', (_, pair, rest) => {
    expect(remove(note('a: 1', ...pair, ...rest), 'b')).toBe(note('a: 1', ...rest));
  });

  it('leaves a comment below a value of one line', () => {
    expect(remove(note('a: 1', '  # about?', 'c: 2'), 'a')).toBe(note('  # about?', 'c: 2'));
  });

  it('takes the whole block when nothing but such comments is left', () => {
    expect(remove(note('b:', '  c: 2', '  # inner'), 'b')).toBe('body\n');
  });

  it('removes the block with the last property, but neither a comment nor the guard of a body that looks like one', () => {
    expect(remove('\ufeff---\na: 1\n---\nbody\n', 'a')).toBe('\ufeffbody\n');
    expect(remove(note('# note', 'a: 1'), 'a')).toBe(note('# note'));
    expect(remove('---\na: 1\n---\n---\nx: 1\n---\n', 'a')).toBe('---\n---\n---\nx: 1\n---\n');
    expect(remove('---\na: 1\n---', 'a')).toBe('');
  });

  it('does nothing when there is no such property', () => {
    expect(deleteProperty('text', 'obsidian', 'a')).toEqual([]);
    expect(deleteProperty(note('a: 1'), 'obsidian', 'b')).toEqual([]);
  });
});

describe('list items', () => {
  it('appends to a flow list with its quotes and padding', () => {
    expect(add('---\nsources: ["[[a]]"]\n---\n', 'sources', '[[b]]')).toBe(
      '---\nsources: ["[[a]]", "[[b]]"]\n---\n',
    );
    expect(add(note('t: [ a, b ]'), 't', 'c')).toBe(note('t: [ a, b, c ]'));
    expect(add(note('t: [a,b]'), 't', 'c')).toBe(note('t: [a,b,c]'));
    expect(add(note('t: [', '  a,', '  b,', ' ]'), 't', 'c')).toBe(
      note('t: [', '  a,', '  b,', '  c,', ' ]'),
    );
    expect(add(note('t: []'), 't', 'c')).toBe(note('t: [c]'));
  });

  it('uses the key that is there, in any case', () => {
    expect(add('---\nTAGS: [Alpha]\nAliases: [Al]\n---\n', 'tags', 'beta')).toBe(
      '---\nTAGS: [Alpha, beta]\nAliases: [Al]\n---\n',
    );
  });

  it('makes a list of a single value', () => {
    expect(add('---\ntags: a\n---\n', 'tags', 'proj/sub')).toBe('---\ntags:\n  - a\n  - proj/sub\n---\n');
    expect(add('---\nx: [1]\ntags: a\n---\n', 'tags', 'proj/sub')).toBe(
      '---\nx: [1]\ntags: [a, proj/sub]\n---\n',
    );
    expect(add('---\ntags: a, b\n---\n', 'tags', 'c', 'silverbullet')).toBe(
      '---\ntags:\n  - a\n  - b\n  - c\n---\n',
    );
    expect(add(note('tags:'), 'tags', 'c')).toBe(note('tags:', '  - c'));
    expect(add('x', 'tags', 'c')).toBe('---\ntags:\n  - c\n---\nx');
  });

  it('appends to a block list with its indent, and keeps comments', () => {
    expect(add(note('t:', '- a # one', '', '-   b', 'z: 1'), 't', 'c')).toBe(
      note('t:', '- a # one', '', '-   b', '-   c', 'z: 1'),
    );
    expect(add('---\r\nt:\r\n    - a\r\n---\r\n', 't', 'c')).toBe(
      '---\r\nt:\r\n    - a\r\n    - c\r\n---\r\n',
    );
  });

  it('adds nothing twice', () => {
    expect(addToListProperty(note('t: [a, b]'), 'obsidian', 't', 'b')).toEqual([]);
    expect(addToListProperty(note('t: a'), 'obsidian', 't', 'a')).toEqual([]);
  });

  it('keeps the bytes of the items that stay when others go', () => {
    expect(set(note('t: [a, b, c]'), 't', ['b', 'c'])).toBe(note('t: [b, c]'));
    expect(set(note('t: [a, b, c]'), 't', ['a', 'b'])).toBe(note('t: [a, b]'));
    expect(set(note('t: [a, b, a, a]'), 't', ['b'])).toBe(note('t: [b]'));
    expect(set(note('t:', '  - a', '  # keep', '  - b # gone', '  - c'), 't', ['a', 'c'])).toBe(
      note('t:', '  - a', '  # keep', '  - c'),
    );
    expect(set(note('t:', '  - a', 'u: 1'), 't', [])).toBe(note('t: []', 'u: 1'));
  });

  it('refuses to add to a map', () => {
    expect(refusal(() => add(note('t: {a: 1}'), 't', 'x')).code).toBe('invalid_input');
  });
});

describe('Logseq page properties', () => {
  const page = 'title:: My Page\ntags:: one, two words\nalias:: MP\n\n- block\n  done_at:: today\n';

  it('are written as key:: value, never as YAML', () => {
    expect(set(page, 'status', 'ok', 'logseq')).toBe(
      page.replace('alias:: MP\n', 'alias:: MP\nstatus:: ok\n'),
    );
    expect(set('- block\n', 'status', 'ok', 'logseq')).toBe('status:: ok\n\n- block\n');
    expect(set('- a:: 1\n  b_c:: 2\n', 'B-C', 'x', 'logseq')).toBe('- a:: 1\n  b_c:: x\n');
    expect(set('- a:: 1\r\n', 'b', 'x', 'logseq')).toBe('- a:: 1\r\n  b:: x\r\n');
    expect(set('a:: 1', 'b', 'x', 'logseq')).toBe('a:: 1\nb:: x');
  });

  it('lists are split by commas', () => {
    expect(add(page, 'tags', 'three', 'logseq')).toBe(page.replace('two words', 'two words, three'));
    expect(add(page, 'tags', 'one', 'logseq')).toBe(page);
    expect(add(page, 'tags', 'a, b', 'logseq')).toBe(page.replace('two words', 'two words, [[a, b]]'));
    expect(add(page, 'tags', '[[Page]]', 'logseq')).toBe(page.replace('two words', 'two words, [[Page]]'));
    expect(add(page, 'tags', '#one', 'logseq')).toBe(page);
    expect(set(page, 'tags', ['two words'], 'logseq')).toBe(page.replace('one, ', ''));
    expect(refusal(() => add(page, 'tags', '[[a]] b', 'logseq')).message).toContain('"tags"');
    expect(set(page, 'tags', ['one'], 'logseq')).toBe(page.replace(', two words', ''));
  });

  it('lists that are set again keep the writing of the items that stay', () => {
    const list = 'tags:: [[a]],#b , [[c, d]], e\nz:: 1\n';
    const names = ['a', 'b', 'c, d', 'e'];
    expect(setProperty(list, 'logseq', 'tags', names)).toEqual([]);
    expect(setProperty('tags:: [[a]]\n', 'logseq', 'tags', 'a')).toEqual([]);
    expect(set(list, 'tags', [...names, 'f'], 'logseq')).toBe(list.replace('e\n', 'e, f\n'));
    expect(set(list, 'tags', ['n', ...names], 'logseq')).toBe(list.replace('[[a]]', 'n, [[a]]'));
    expect(set(list, 'tags', ['b', 'c, d', 'e'], 'logseq')).toBe(list.replace('[[a]],', ''));
    expect(set(list, 'tags', ['a', 'b', 'e'], 'logseq')).toBe(list.replace(' , [[c, d]]', ''));
    expect(set(list, 'tags', ['a', 'n', 'c, d', 'e'], 'logseq')).toBe(list.replace(',#b ', ', n'));
    expect(set(list, 'tags', ['a', 'b', 'c, d'], 'logseq')).toBe(list.replace(', e\n', '\n'));
    expect(set('tags:: [[a]], [[a]] b\n', 'tags', ['[[a]] b'], 'logseq')).toBe('tags:: [[a]] b\n');
  });

  it('are deleted with their line; the dash stays with the others', () => {
    expect(remove(page, 'tags', 'logseq')).toBe(page.replace('tags:: one, two words\n', ''));
    expect(remove('- a:: 1\n  b:: 2\n', 'a', 'logseq')).toBe('- b:: 2\n');
  });

  it('refuse what one line cannot hold', () => {
    for (const value of ['a\nb', { a: 1 }, ' x']) {
      expect(refusal(() => set(page, 'k', value, 'logseq')).code).toBe('invalid_input');
    }
    expect(refusal(() => set(page, 'a b', 'x', 'logseq')).code).toBe('invalid_input');
  });

  it('stay YAML where the page has YAML', () => {
    expect(set('---\ntitle: T\n---\n- b\n', 'x', 1, 'logseq')).toBe('---\ntitle: T\nx: 1\n---\n- b\n');
  });
});

const awkward = fc.constantFrom(
  '-60',
  'true',
  'null',
  '~',
  '2024-01-01',
  '12:30',
  'a: b',
  ' #x',
  'a #b',
  "-5 o'clock: totals #hot",
  'a\nb',
  'a\n\nb\n',
  '[[b]]',
  '{{date}}',
  '👩‍👩‍👧 x',
  '"q"',
  "'q'",
  '',
  ' ',
  'x ',
  '\t',
  '@a',
  '`a`',
  '%a',
  '&a',
  '*a',
  '!a',
  '|',
  '>',
  '- a',
  '---',
  '...',
  '?',
  '? a',
  ':',
  'a:',
  'a,b',
  '[a',
  '{',
  '0x1F',
  '0o7',
  '1_000',
  '.5',
  '1e3',
  '+1',
  '.inf',
  '.NaN',
  'No',
  'a\r\nb',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u0000',
  'a\\nb',
  '<<',
  '=',
  'x\n y',
  ' x\ny',
  'x \ny',
  'x\n\ty',
  '12345678901234567890',
  'a\u00a0',
);
const text = fc.oneof(
  awkward,
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'ab :#-\n\'",[]{}|>&*!%@`?\t') }),
);
const json = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      text,
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const frame = fc.constantFrom(
  'body\n',
  '',
  note('a: 1', 'k: old # comment', "z: 'q'"),
  note("k: 'old'", 'l: [x]'),
  note('k:', '  - old # c', '  - [[w]]', '', '# note', 'z: 1'),
  note('k: [ old, "x" ]'),
  note('k: |+', '  old', '', '', 'z: 1'),
  note('k: >-', '  old', '  text', 'z: &a 1', 'y: *a'),
  note('k: { old: 1 }', 'z: [', '  1 ]'),
  note('k:', '  old: 1', '  # c', 'z:'),
  note('k:', '', 'z: 1'),
  note('{"k": 1, "z": [2]}'),
  note('  k: 1', '  z: 2'),
  note('"k": 1', "'z': 2"),
  '\ufeff---\r\nk: 1\r\nz:\r\n- 1\r\n---  \r\nbody\r\n',
  '---\nk: 1\n---',
  '---\n# only a comment\n---\n---\nx\n---\n',
);

describe('any JSON value', () => {
  it('reads back with the same type, and every other byte stays', () => {
    fc.assert(
      fc.property(frame, json, (before, value) => {
        const after = set(before, 'k', value);
        const read = parseFrontmatter(after, 'obsidian');
        expect(read?.problems.filter((one) => one.severity === 'error')).toEqual([]);
        expect(read?.data.k).toEqual(value);
        const old = parseFrontmatter(before, 'obsidian')?.data ?? {};
        for (const key of Object.keys(old)) if (key !== 'k') expect(read?.data[key]).toEqual(old[key]);
        const body = (whole: string) =>
          whole.slice(parseFrontmatter(whole, 'obsidian')?.span.end ?? (whole.startsWith('\ufeff') ? 1 : 0));
        expect(body(after)).toBe(body(before));
        if (before.includes('\r\n')) expect(after).not.toMatch(/[^\r]\n/);
      }),
      { numRuns: 120 },
    );
  });

  it('can be deleted again, which gives the text before', () => {
    fc.assert(
      fc.property(frame, json, (before, value) => {
        const added = set(before, 'new key', value);
        expect(remove(added, 'NEW KEY')).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('can be a list item, added and taken out again', () => {
    fc.assert(
      fc.property(frame, fc.array(json, { minLength: 1, maxLength: 4 }), json, (before, list, item) => {
        const held = set(before, 'k', list);
        const added = add(held, 'k', item);
        const has = list.some((one) => JSON.stringify(one) === JSON.stringify(item));
        const canonical = (value: unknown) => JSON.stringify(value);
        const read = parseFrontmatter(added, 'obsidian')?.data.k as unknown[];
        expect(read.map(canonical)).toEqual([...list, ...(has ? [] : [item])].map(canonical));
        if (!has) expect(set(added, 'k', list)).toBe(held);
      }),
      { numRuns: 80 },
    );
  });

  it('is written as a whole block by createFrontmatter', () => {
    const values = {
      title: "-5 o'clock: totals #hot",
      n: '-60',
      neg: -60,
      b: 'true',
      e: '',
      d: '2024-01-01',
      multi: 'a\nb',
    };
    const block = createFrontmatter(Object.entries(values));
    expect(parseFrontmatter(block, 'obsidian')?.data).toEqual(values);
    expect(block).toContain('\nd: 2024-01-01\n');
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), (list) => {
        const entries = list.map((value, i) => [`key ${i}`, value] as const);
        const read = parseFrontmatter(`${createFrontmatter(entries, '\r\n')}body`, 'obsidian');
        expect(read?.data).toEqual(Object.fromEntries(entries));
      }),
    );
  });

  it('can stand under any key', () => {
    const key = text.filter((one) => one.trim() !== '' && one.trim() === one && !/[\r\n]/.test(one));
    fc.assert(
      fc.property(key, json, (name, value) => {
        expect(parseFrontmatter(set(note('a_a: 1'), name, value), 'obsidian')?.data[name]).toEqual(value);
      }),
      { numRuns: 80 },
    );
  });
});
