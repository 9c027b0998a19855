import { describe, expect, it } from 'vitest';
import { factsOf } from '../evaluate/evaluator.testing.ts';
import type { FileFacts } from '../evaluate/facts.ts';
import { parseBase } from '../file/base-file.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { LoadedLookup } from './loaded-lookup.ts';
import { type Cell, runView, type ViewResult } from './run-view.ts';

const FILES: readonly FileFacts[] = [
  factsOf('a.md', { properties: { n: 2, tag: ['x', 'y'], due: '2024-03-01', done: true, who: '[[c]]' } }),
  factsOf('b.md', { properties: { n: 10, tag: ['y'], due: '2024-01-10', done: false } }),
  factsOf('c.md', { properties: { n: 2, due: 'soon' }, tags: ['book/fiction'] }),
  factsOf('d.canvas'),
  factsOf('e.md', { properties: { n: null, tag: [] } }),
];

async function* each(files: readonly FileFacts[]) {
  yield files;
}

async function query(
  source: string,
  more: { view?: number; columns?: readonly string[]; self?: FileFacts } = {},
) {
  const base = parseBase(source, 'q.base');
  const view = base.views[more.view ?? 0];
  if (view === undefined) throw new Error('no such view');
  return runView({
    base,
    view,
    now: new DateValue(0, true),
    lookup: new LoadedLookup({
      facts: async (path) => FILES.find((file) => file.path === path),
      links: async () => [],
      backlinks: async () => [],
      resolve: async (target) => FILES.find(({ path }) => path === target || path === `${target}.md`)?.path,
    }),
    candidates: each(FILES),
    pacing: { isDue: () => false, pause: async () => {} },
    ...(more.columns && { columns: more.columns }),
    ...(more.self && { self: more.self }),
  });
}

const shown = (cell: Cell) =>
  cell instanceof ExpressionError ? `Error: ${cell.message}` : cell === null ? null : toText(cell);
const rowsOf = ({ rows }: ViewResult) => rows.map(({ cells }) => cells.map(shown));
const pathsOf = ({ rows }: ViewResult) => rows.map(({ facts }) => facts.path);

describe('runView', () => {
  it('without a filter shows every file, notes or not', async () => {
    expect(pathsOf(await query('views:\n  - {type: table, name: T}'))).toEqual(FILES.map(({ path }) => path));
  });

  it('lets global and view filters through together, with and, or and not', async () => {
    const paths = async (filters: string) => pathsOf(await query(`filters:\n  ${filters}`));
    expect(await paths('and: [n == 2, done]')).toEqual(['a.md']);
    expect(await paths('or: [n == 10, file.ext == "canvas"]')).toEqual(['b.md', 'd.canvas']);
    expect(await paths('not: [n == 2, n == 10]')).toEqual(['d.canvas', 'e.md']);
    expect(await paths('and: [{or: [n == 2, n == 10]}, {not: [done]}]')).toEqual(['b.md', 'c.md']);
    expect(await paths('file.hasTag("BOOK")')).toEqual(['c.md']);
    expect(pathsOf(await query('filters: n == 2\nviews:\n  - {name: T, filters: done}'))).toEqual(['a.md']);
  });

  it('sorts stably by several keys, numbers as numbers, what is empty last in both directions', async () => {
    const sorted = async (sort: string) =>
      pathsOf(await query(`filters: file.ext == "md"\nviews:\n  - {name: T, sort: ${sort}}`));
    expect(await sorted('[{property: n, direction: ASC}]')).toEqual(['a.md', 'c.md', 'b.md', 'e.md']);
    expect(await sorted('[{property: n, direction: DESC}]')).toEqual(['b.md', 'a.md', 'c.md', 'e.md']);
    expect(await sorted('[{property: n}, {property: file.name, direction: DESC}]')).toEqual([
      'c.md',
      'a.md',
      'b.md',
      'e.md',
    ]);
  });

  it('limits after sorting and tells how many there are', async () => {
    const result = await query('views:\n  - {name: T, limit: 2, sort: [{property: n, direction: DESC}]}');
    expect(pathsOf(result)).toEqual(['b.md', 'a.md']);
    expect(result.total).toBe(5);
  });

  it('keeps an error in its cell, and a filter’s error with its file', async () => {
    const result = await query(
      'formulas: {half: n / 2, bad: n.nope(), loop: formula.loop}\nviews:\n  - {name: T, order: [formula.half, formula.bad, formula.loop, n]}',
    );
    expect(rowsOf(result)[0]).toEqual([
      '1',
      'Error: formula.bad: A number has no method nope().',
      expect.stringMatching(/^Error: .*circular/),
      '2',
    ]);
    const filtered = await query('filters: n + 1 > 2');
    expect(pathsOf(filtered)).toEqual(['a.md', 'b.md', 'c.md']);
    expect(filtered.filterProblems).toEqual([
      { message: 'filters: A missing value and a number cannot be added.', files: 2 },
    ]);
  });

  it('groups, a list into each of its groups and nothing into its own', async () => {
    const result = await query('filters: file.ext == "md"\nviews:\n  - {name: T, groupBy: {property: tag}}');
    expect(result.groups?.map(({ key, files }) => [key, files.map(({ path }) => path)])).toEqual([
      ['x', ['a.md']],
      ['y', ['a.md', 'b.md']],
      [null, ['c.md', 'e.md']],
    ]);
  });

  it('sums up over what is shown, per view and per group', async () => {
    const result = await query(
      `filters: n > 0
summaries: {spread: values.max() - values.min()}
views:
  - name: T
    order: [n, due, done]
    groupBy: {property: done}
    summaries: {n: Average, note.due: Earliest, done: Checked, formula.x: Empty, file.name: spread}
  - {name: S, order: [n], summaries: {n: spread}}
  - {name: U, order: [n], summaries: {n: Nope}}`,
    );
    expect([...result.summaries].map(([id, cell]) => [id, shown(cell)])).toEqual([
      ['n', String(14 / 3)],
      ['note.due', '2024-01-10'],
      ['done', '1'],
      ['formula.x', '3'],
      ['file.name', expect.stringMatching(/^Error/)],
    ]);
    expect(result.groups?.map(({ key, summaries }) => [key, shown(summaries.get('n') ?? null)])).toEqual([
      [false, '10'],
      [true, '2'],
      [null, '2'],
    ]);
  });

  it.each([
    ['Average', '4.666666666666667'],
    ['Min', '2'],
    ['Max', '10'],
    ['Sum', '14'],
    ['Range', '8'],
    ['Median', '2'],
    ['Stddev', '3.7712361663282534'],
    ['Unique', '2'],
    ['Empty', '2'],
    ['Filled', '3'],
  ])('%s', async (name, value) => {
    const { summaries } = await query(`views:\n  - {name: T, order: [n], summaries: {n: ${name}}}`);
    expect(shown(summaries.get('n') ?? null)).toBe(value);
  });

  it('sums up dates and yes or no, and says what it does not know', async () => {
    const of = async (id: string, name: string) =>
      shown((await query(`views:\n  - {name: T, summaries: {${id}: ${name}}}`)).summaries.get(id) ?? null);
    expect(await of('due', 'Latest')).toBe('2024-03-01');
    expect(await of('due', 'Range')).toBe(String(51 * 86_400_000));
    expect(await of('done', 'Unchecked')).toBe('1');
    expect(await of('n', 'Nope')).toMatch(/^Error: There is no summary "Nope"; there are Average, /);
  });

  it('loads what an expression needs in the middle of it', async () => {
    const result = await query(
      'formulas: {other: who.asFile().properties.n}\nviews:\n  - {name: T, order: [formula.other]}',
    );
    expect(rowsOf(result).map(([cell]) => cell)).toEqual(['2', null, null, null, null]);
  });

  it('works for the note it stands in', async () => {
    const self = factsOf('c.md');
    expect(pathsOf(await query('filters: list(who).contains(this)', { self }))).toEqual(['a.md']);
    expect(pathsOf(await query('filters: list(who).contains(this)'))).toEqual([]);
  });

  it('shows other columns when asked', async () => {
    const result = await query('filters: n == 10', { columns: ['n', 'note["due"]', 'file.folder'] });
    expect(rowsOf(result)).toEqual([['10', '2024-01-10', '']]);
  });
});
