import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applySplices, setProperty } from './edit.ts';
import { parseFrontmatter } from './frontmatter.ts';

const set = (text: string, key: string, value: unknown) =>
  applySplices(text, setProperty(text, 'obsidian', key, value));
const note = (...lines: string[]) => ['---', ...lines, '---', 'body', ''].join('\n');

describe('a list that is set again keeps the bytes of the items that stay', () => {
  const block = (...items: string[]) => note('a: # top', ...items.map((item) => `  ${item}`), 'z: 1');
  const old = block('- "[[x]]" # one', '# above y', '- y', '', "- 'z' # three");

  it.each([
    ['one replaced', ['[[x]]', 'q', 'z'], block('- "[[x]]" # one', '# above y', '- q', '', "- 'z' # three")],
    [
      'the first replaced',
      ['q: r', 'y', 'z'],
      block('- "q: r" # one', '# above y', '- y', '', "- 'z' # three"),
    ],
    [
      'one put in front',
      ['q', '[[x]]', 'y', 'z'],
      block('- q', '- "[[x]]" # one', '# above y', '- y', '', "- 'z' # three"),
    ],
    [
      'one put between, one behind',
      ['[[x]]', 'q', 'y', 'z', 'r'],
      block('- "[[x]]" # one', '- q', '# above y', '- y', '', "- 'z' # three", '- r'),
    ],
    ['one replaced and one gone', ['q', 'z'], block('- "q" # one', '# above y', '', "- 'z' # three")],
    ['the first put last', ['y', 'z', '[[x]]'], block('# above y', '- y', '', "- 'z' # three", '- "[[x]]"')],
  ])('%s', (_, wanted, after) => {
    expect(set(old, 'a', wanted)).toBe(after);
  });

  it('in brackets, over several lines and in CRLF files too', () => {
    expect(set(note("a: ['x',  y ]"), 'a', ['x', 'q', 'y'])).toBe(note("a: ['x',  q,  y ]"));
    expect(set(note("a: ['x',  y ] # c"), 'a', ['q', 'y'])).toBe(note("a: ['q',  y ] # c"));
    expect(set(note('a: [x,', '  y # c', ' ]'), 'a', ['x', 'q'])).toBe(note('a: [x,', '  q # c', ' ]'));
    const crlf = note('a:', '- x # c', '- w').replaceAll('\n', '\r\n');
    expect(set(crlf, 'a', ['q', 'x', 'r', 'w'])).toBe(
      note('a:', '- q', '- x # c', '- r', '- w').replaceAll('\n', '\r\n'),
    );
  });

  it('whatever the items are', () => {
    const items = ['  - |', '    t', '    u', '  - - 1', '    - 2', '  - &x p', '  - !!str 1', '  - [[A]]'];
    const before = note('a:', ...items, '  - w', 'b: *x');
    expect(set(before, 'a', ['t\nu\n', [1, 2], 'p', '1', [['A']], 'q'])).toBe(
      note('a:', ...items, '  - q', 'b: *x'),
    );
    expect(set(note('a:', '  -', '  - w # c'), 'a', [null, 'q'])).toBe(note('a:', '  -', '  - q # c'));
    expect(set(note('a:', '  -', '  - w # c'), 'a', ['q', 'w'])).toBe(note('a:', '  - q', '  - w # c'));
  });

  it('for any lists', () => {
    const items = fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's', 't', 'u'), { minLength: 1 });
    fc.assert(
      fc.property(items, items, (from, to) => {
        const before = note('a:', ...from.map((item) => `  - '${item}' # of ${item}`), 'z: 1 # z');
        const after = set(before, 'a', to);
        expect(parseFrontmatter(after, 'obsidian')?.data).toEqual({ a: to, z: 1 });
        if (to.join().includes(from.join()) || from.join().includes(to.join())) {
          for (const item of from.filter((one) => to.includes(one))) {
            expect(after).toContain(`  - '${item}' # of ${item}\n`);
          }
        }
      }),
    );
  });
});

describe('a map that is set again keeps the bytes of the pairs that stay', () => {
  const old = note(
    'a:',
    '  b: "1" # one',
    '  # above c',
    '  c:',
    "    - 'x' # x",
    '    - w',
    '  d: 2 # two',
    'z: 1',
  );
  const value = { b: '1', c: ['x', 'w'], d: 2 };

  it.each([
    ['one value', { ...value, d: 3 }, old.replace('d: 2', 'd: 3')],
    ['quoted text', { ...value, b: '7' }, old.replace('"1"', '"7"')],
    ['an item below', { ...value, c: ['x', 'q'] }, old.replace('- w', '- q')],
    ['a new pair', { ...value, e: { f: ['g'] } }, old.replace('two', 'two\n  e:\n    f:\n      - g')],
    ['one gone', { b: '1', c: ['x', 'w'] }, old.replace('  d: 2 # two\n', '')],
    [
      'one gone, one new',
      { c: ['x', 'w'], d: 2, e: 3 },
      old.replace('  b: "1" # one\n', '').replace('two', 'two\n  e: 3'),
    ],
    ['the last one gone, one new', { b: '1', c: ['x', 'w'], e: 3 }, old.replace('  d: 2 # two', '  e: 3')],
  ])('%s', (_, wanted, after) => {
    expect(set(old, 'a', wanted)).toBe(after);
  });

  it('takes with a pair what is said within it', () => {
    const deep = note('a:', '  b:', '    c: 1', '    # inner', '  # about d', '  d: 2', 'z: 1');
    expect(set(deep, 'a', { d: 2 })).toBe(note('a:', '  # about d', '  d: 2', 'z: 1'));
  });

  it('in a list, and in braces', () => {
    expect(
      set(note('a:', '  - b: 1 # c', "    d: '2'", '  - b: 3'), 'a', [{ b: 1, d: '2', e: 5 }, { b: 4 }]),
    ).toBe(note('a:', '  - b: 1 # c', "    d: '2'", '    e: 5', '  - b: 4'));
    expect(set(note('a: { b: "1",c: 2 } # k'), 'a', { b: '1', c: 3 })).toBe(note('a: { b: "1",c: 3 } # k'));
  });

  it('is written anew when only that can be right', () => {
    expect(set(note('a:', '  b: 1', 'z: 1'), 'a', { q: 2 })).toBe(note('a:', '  q: 2', 'z: 1'));
  });
});
