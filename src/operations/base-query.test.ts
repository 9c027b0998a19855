import { afterEach, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { isLecternError, type LecternError } from '../errors.ts';
import { parseInput } from './call/input.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './registry.ts';

let vault: TestVault | undefined;
afterEach(async () => {
  if (vault === undefined) return;
  await vault.close();
  discard(vault);
  vault = undefined;
});

type Out = Readonly<Record<string, never>> & {
  readonly rows: readonly { path: string; values: Readonly<Record<string, unknown>> }[];
};

async function run(name: string, given: object): Promise<{ out: Out; text: string }> {
  const operation: Operation | undefined = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined || vault === undefined) throw new Error(`no ${name}, or no vault`);
  const input = parseInput(operation, given);
  const out = await operation.run(vault.session, input, {
    signal: new AbortController().signal,
    progress: () => {},
  });
  expect(operation.output.strict().parse(out)).toEqual(out);
  return { out: out as Out, text: `${operation.summarise(out, input)}\n${operation.render(out, input)}` };
}

async function refusal(name: string, given: object): Promise<LecternError> {
  try {
    await run(name, given);
  } catch (error) {
    if (isLecternError(error)) return error;
    throw error;
  }
  throw new Error(`${name} did not fail`);
}

const cells = (out: Out) => out.rows.map(({ values }) => Object.values(values));
const paths = (out: Out) => out.rows.map(({ path }) => path);

describe('recorded cases', () => {
  it('bas-01: no filter is the whole vault, and tags count without regard to case and nested', async () => {
    vault = await openTestVault({
      'a.md': '---\ntags: [Book/fiction]\n---\n',
      'b.md': '#book\n',
      'c.md': '#bookish\n',
      'x.base': 'views:\n  - type: table\n    name: T\n',
      'y.base': 'filters: file.hasTag("BOOK")\nviews:\n  - type: table\n    name: T\n',
    });
    expect(paths((await run('base_query', { path: 'x.base' })).out)).toEqual([
      'a.md',
      'b.md',
      'c.md',
      'x.base',
      'y.base',
    ]);
    expect(paths((await run('base_query', { path: 'y.base' })).out)).toEqual(['a.md', 'b.md']);
  });

  it('bas-02 and bas-03: front matter dates act as dates', async () => {
    vault = await openTestVault({
      'a.md': '---\ndue: 2024-01-10\nd: 2024-02-05\n---\n',
      'b.md': '---\ndue: 2024-03-01T10:00:00\n---\n',
      'c.md': '---\nother: 1\n---\n',
      'q.base':
        'filters:\n  and:\n    - due < "2024-02-01"\nformulas:\n  f: due.format("YYYY/MM/DD")\n  p: (due + "1M").month\n  g: d.format("MMM MMMM D Do YYYY [at] HH")\nviews:\n  - type: table\n    name: T\n    order: [file.path, formula.f, formula.p, formula.g]\n',
    });
    expect(cells((await run('base_query', { path: 'q.base' })).out)).toEqual([
      ['a.md', '2024/01/10', 2, 'Feb February 5 5th 2024 at 00'],
    ]);
  });

  it('bas-06: formulas, and an error in its cell alone', async () => {
    vault = await openTestVault({
      'a.md': '---\nn: 2\nl: [1, "2", [3]]\n---\n[[b#h]]\n',
      'b.md': '# h\n',
      'q.base':
        'filters: file.path == "a.md"\nformulas:\n  a: \'10 / 5 / 2\'\n  b: \'l.flat().map(number(value)).reduce(acc + value, 0)\'\n  c: \'file.hasLink("b")\'\n  d: \'(date("2024-12-01") + "1M" + "4h" + "3m").format("YYYY-MM-DD HH:mm:ss")\'\n  e: \'if(missing, 1)\'\n  f: \'"a:b:c".replace(/:/, "-")\'\n  g: \'n + " items"\'\n  h: \'formula.a * 2\'\n  i: \'formula.i\'\nviews:\n  - {type: table, name: T, order: [formula.a, formula.b, formula.c, formula.d, formula.e, formula.f, formula.g, formula.h, formula.i]}\n',
    });
    const { out } = await run('base_query', { path: 'q.base' });
    expect(cells(out)).toEqual([[1, 6, true, '2025-01-01 04:03:00', null, 'a-b:c', '2 items', 2, null]]);
    expect(out.errors).toEqual([
      { path: 'a.md', column: 'formula.i', message: expect.stringContaining('circular reference') },
    ]);
  });
});

const LIBRARY = {
  'Dune.md':
    '---\ntype: book\nrating: 5\ngenre: [scifi, classic]\nby: "[[Herbert]]"\n---\n#read [[Arrakis]]\n',
  'Emma.md': '---\ntype: book\nrating: 4\ngenre: [classic]\n---\n',
  'Herbert.md': '---\ntype: person\nborn: 1920-10-08\n---\n',
  'Shelf.md':
    'Text\n\n```base\nfilters: type == "book"\nviews:\n  - name: All\n    type: table\n    order: [file.name, rating]\n    summaries: {rating: Average}\n  - name: By genre\n    order: [file.name]\n    groupBy: {property: genre, direction: ASC}\n```\n\n```base\nfilters: list(by).contains(this)\n```\n',
  'Img/pic.png': 'PNG',
};

describe('base_query', () => {
  it('reads a base from a note, chooses view, columns and order, and pages', async () => {
    vault = await openTestVault(LIBRARY);
    const { out, text } = await run('base_query', { path: 'Shelf.md' });
    expect(cells(out)).toEqual([
      ['Dune', 5],
      ['Emma', 4],
    ]);
    expect(out.summaries).toEqual([{ column: 'rating', summary: 'Average', value: 4.5 }]);
    expect(text).toContain('Shelf.md, table "All": 2 rows.');
    const grouped = await run('base_query', { path: 'Shelf.md', view: 'by genre' });
    expect(grouped.out.groups).toEqual([
      { key: 'classic', rows: 2, summaries: [] },
      { key: 'scifi', rows: 1, summaries: [] },
    ]);
    const sorted = await run('base_query', { path: 'Shelf.md', sort: ['rating'], limit: 1, columns: ['by'] });
    expect([paths(sorted.out), sorted.out.next_cursor]).toEqual([['Emma.md'], 'b1']);
    const next = await run('base_query', {
      path: 'Shelf.md',
      sort: ['rating'],
      limit: 1,
      cursor: 'b1',
      columns: ['by'],
    });
    expect([cells(next.out), next.out.next_cursor]).toEqual([[['[[Herbert]]']], null]);
  });

  it('this is the note the base stands in, or the one that is named', async () => {
    vault = await openTestVault(LIBRARY);
    expect(paths((await run('base_query', { path: 'Shelf.md', block: 2 })).out)).toEqual([]);
    expect(paths((await run('base_query', { path: 'Shelf.md', block: 2, this: 'Herbert' })).out)).toEqual([
      'Dune.md',
    ]);
  });

  it('takes a base of the caller’s own and one more filter', async () => {
    vault = await openTestVault(LIBRARY);
    const source = 'filters: file.ext == "md"\nviews: [{name: V, order: [file.name, rating]}]';
    const { out } = await run('base_query', { source, filter: 'rating >= 4 && file.hasTag("read")' });
    expect(cells(out)).toEqual([['Dune', 5]]);
    expect(paths((await run('base_query', { source: 'filters: file.hasLink("Arrakis")' })).out)).toEqual([
      'Dune.md',
    ]);
    expect(paths((await run('base_query', { source: 'filters: file.backlinks.length > 0' })).out)).toEqual([
      'Herbert.md',
    ]);
    expect(
      paths((await run('base_query', { source: 'filters: by.asFile().properties.born.year == 1920' })).out),
    ).toEqual(['Dune.md']);
  });

  it('answers as a table of Markdown or CSV', async () => {
    vault = await openTestVault({ 'a|b.md': '---\nx: "=1, \\"q\\""\n---\n' });
    const source = 'filters: x\nviews: [{name: V, order: [x]}]';
    expect((await run('base_query', { source, format: 'markdown' })).out.table).toBe(
      '| path | x |\n| --- | --- |\n| a\\|b.md | =1, "q" |',
    );
    expect((await run('base_query', { source, format: 'csv' })).out.table).toBe(
      'path,x\na|b.md,"\'=1, ""q"""',
    );
  });

  it('answers as much as fits one message, and the rest on the next pages', async () => {
    const files = Array.from(
      { length: 120 },
      (_, at) => [`N${String(at).padStart(3, '0')}.md`, 'x\n'] as const,
    );
    vault = await openTestVault(Object.fromEntries(files));
    const source =
      'formulas:\n  long: "\'x\'.repeat(15000)"\n  longer: "\'x\'.repeat(20001)"\nviews:\n  - type: table\n    order: [file.name, formula.long, formula.longer]\n    groupBy: {property: file.name}\n';
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { out } = await run('base_query', { source, limit: 200, ...(cursor && { cursor }) });
      expect(JSON.stringify(out).length).toBeLessThan(2_200_000);
      expect(out.rows.length).toBeGreaterThan(50);
      expect(new Set(out.rows.map(({ values }) => String(values['formula.long']).length))).toEqual(
        new Set([15_000]),
      );
      expect(out.errors).toHaveLength(out.rows.length);
      expect(out.errors?.[0]).toMatchObject({
        column: 'formula.longer',
        message: expect.stringContaining('20001'),
      });
      found.push(...paths(out));
      cursor = out.next_cursor;
    } while (cursor);
    expect(found).toEqual(files.map(([path]) => path));
  });

  it('shows nothing of what a caller may not see', async () => {
    vault = await openTestVault(LIBRARY, {
      rules: { readOnly: false, read: { allow: [], deny: ['Herbert.md'] }, write: { allow: [], deny: [] } },
    });
    const all = await run('base_query', { source: 'views: [{name: V, order: [file.path]}]' });
    expect(JSON.stringify(all)).not.toContain('Herbert');
    const linked = await run('base_query', {
      source: 'filters: file.hasLink("Herbert")\nviews: [{name: V, order: [by.asFile().name]}]',
    });
    expect(cells(linked.out)).toEqual([[null]]);
  });

  it.each([
    [{}, 'invalid_input', /named by its path or given as source/],
    [{ path: 'Shelf.md', source: 'a' }, 'invalid_input', /one of the two/],
    [{ path: 'Nope.base' }, 'not_found', /Nope\.base/],
    [{ path: 'Dune.md' }, 'not_found', /no base/],
    [{ path: 'Shelf.md', block: 9 }, 'not_found', /no base 9/],
    [{ path: 'Shelf.md', view: 'Al' }, 'not_found', /no view "Al"/],
    [{ source: 'filters: [a' }, 'invalid_input', /not YAML/],
    [{ source: 'filters: {and: [a], or: [b]}' }, 'invalid_input', /only have one of/],
    [{ source: 'filters: contains(a, "b")' }, 'invalid_input', /before Obsidian 1\.9\.2/],
    [{ source: 'filters: file.hastag("a")' }, 'invalid_input', /did you mean hasTag/],
    [{ source: 'filters: date()' }, 'invalid_input', /takes 1 argument/],
    [{ source: 'views: []', filter: '1 +' }, 'invalid_input', /filter, line 1: .*too early/],
    [{ path: 'Shelf.md', this: 'Nobody' }, 'not_found', /Nobody/],
    [{ path: 'Shelf.md', cursor: 'x' }, 'invalid_input', /cursor/],
  ])('%j is refused', async (given, code, message) => {
    vault = await openTestVault(LIBRARY);
    const error = await refusal('base_query', given);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });
});

describe('base_check, property_list and property_values', () => {
  it('names every problem with its place, and what was probably meant', async () => {
    vault = await openTestVault(LIBRARY);
    const source =
      'filters: ratng > 3\nformulas:\n  a: "rating.rond()"\n  b: formula.c\nviews:\n  - {name: V, type: table, order: [file.name, genr]}\n  - {name: W, filters: not(empty(x))}\n';
    const { out, text } = await run('base_check', { source });
    expect(out.problems).toEqual([
      {
        where: 'views[1].filters',
        line: 7,
        column: 24,
        message: expect.stringContaining('not() is from before'),
      },
      {
        where: 'views[1].filters',
        line: 7,
        column: 28,
        message: expect.stringContaining('empty() is from before'),
      },
      { where: 'formulas.a', line: 3, column: 6, message: expect.stringContaining('did you mean round') },
      { where: 'formulas.b', line: 4, column: 6, message: 'There is no formula "c"; did you mean a.' },
    ]);
    expect(out.unknown_properties).toEqual([
      { name: 'ratng', line: 1, meant: 'rating' },
      { name: 'x', line: 7 },
      { name: 'genr', line: 1, meant: 'genre' },
    ]);
    expect(out.views).toEqual([
      { name: 'V', type: 'table', rows: 0 },
      { name: 'W', type: 'table' },
    ]);
    expect(text).toContain('did you mean rating?');
  });

  it('counts properties and their values as the notes use them', async () => {
    vault = await openTestVault(LIBRARY);
    const { out } = await run('property_list', {});
    expect(out.properties).toEqual([
      { name: 'type', notes: 3, types: [{ type: 'string', notes: 3 }], examples: ['book', 'person'] },
      { name: 'genre', notes: 2, types: [{ type: 'list', notes: 2 }], examples: ['classic', 'scifi'] },
      { name: 'rating', notes: 2, types: [{ type: 'number', notes: 2 }], examples: ['4', '5'] },
      { name: 'born', notes: 1, types: [{ type: 'date', notes: 1 }], examples: ['1920-10-08'] },
      { name: 'by', notes: 1, types: [{ type: 'link', notes: 1 }], examples: ['[[Herbert]]'] },
    ]);
    const values = await run('property_values', { name: 'GENRE' });
    expect(values.out.values).toEqual([
      { value: 'classic', notes: 2 },
      { value: 'scifi', notes: 1 },
    ]);
    expect((await refusal('property_values', { name: 'genr' })).next).toBe('Did you mean genre?');
  });
});

describe('links to views', () => {
  it('are links to the base: found, kept by a move, and told when the view is not there', async () => {
    vault = await openTestVault({
      'Bases/Books.base': 'views: [{type: table, name: All}, {type: list, name: To read}]\n',
      'Home.md':
        'See\n\n![[Books.base#To read|300]] and ![[Books.base#To raed]] and [all](Bases/Books.base#All)\n',
      'Board.canvas':
        '{"nodes":[{"id":"a","type":"file","file":"Bases/Books.base","subpath":"#Gone","x":0,"y":0,"width":9,"height":9}]}',
    });
    const { items } = await vault.session.backlinks('Bases/Books.base', { limit: 10 });
    expect(items.map(({ source, subpath, embed }) => [source, subpath, embed])).toEqual([
      ['Board.canvas', '#Gone', true],
      ['Home.md', '#To read', true],
      ['Home.md', '#To raed', true],
      ['Home.md', '#All', false],
    ]);
    const forward = await run('link_forward', { path: 'Home.md' });
    expect(forward.text).toContain('[no #To raed]');
    expect(forward.text).not.toContain('[no #To read]');
    const check = await run('base_check', { path: 'Bases/Books.base' });
    expect(check.out).toMatchObject({
      unresolved_views: [
        { view: 'Gone', path: 'Board.canvas', line: 0 },
        { view: 'To raed', path: 'Home.md', line: 3, meant: 'To read' },
      ],
    });
    expect(check.text).toContain(
      'Home.md:3 links to view To raed, which is not there; did you mean To read?',
    );
    await vault.session.move('Bases/Books.base', 'Lists/Reading.base', { tool: 'note_move' });
    expect(vault.file('Home.md')).toBe(
      'See\n\n![[Reading.base#To read|300]] and ![[Reading.base#To raed]] and [all](Lists/Reading.base#All)\n',
    );
    expect(vault.file('Board.canvas')).toContain('"file":"Lists/Reading.base","subpath":"#Gone"');
  });
});
