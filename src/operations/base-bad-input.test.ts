import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { isLecternError, type LecternError } from '../errors.ts';
import { baseCheck } from './base-check.ts';
import { baseQuery } from './base-query.ts';
import { parseInput } from './call/input.ts';

const MANY = 1500;
let vault: TestVault;
let large: TestVault;
beforeAll(async () => {
  vault = await openTestVault({
    'number.md': '---\nv: 10\n---\n',
    'text.md': '---\nv: ten\n---\n',
    'numeral.md': '---\nv: "9"\n---\n',
    'date.md': '---\nv: 2024-02-05\n---\n',
    'list.md': '---\nv: [1, x]\n---\n',
    'map.md': '---\nv: {a: 1}\n---\n',
    'none.md': '---\nv:\n---\n',
    'without.md': `# a\n${'a'.repeat(5000)}!\n`,
    'Self.base':
      'views: [{type: table, name: T, order: [file.name, file.links, formula.own]}]\nformulas: {own: this.file.name}\n',
  });
  const values = JSON.stringify(Array.from({ length: 40 }, (_, at) => `v${at}`));
  large = await openTestVault(
    Object.fromEntries(
      Array.from({ length: MANY }, (_, at) => [
        `Notes/n${at}.md`,
        `---\nn: ${at}\nlist: ${values}\ndue: 2024-01-0${1 + (at % 9)}\n---\n#t${at % 7} [[n${(at * 7) % MANY}]]\n`,
      ]),
    ),
  );
}, 120_000);
afterAll(async () => {
  for (const each of [vault, large]) {
    await each.close();
    discard(each);
  }
});

const context = () => ({ signal: new AbortController().signal, progress: () => {} });
const query = (given: object, where = vault) =>
  baseQuery.run(where.session, parseInput(baseQuery, given), context());
async function refusal(given: object): Promise<LecternError> {
  const error = await query(given).catch((thrown: unknown) => thrown);
  if (!isLecternError(error)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error;
}
/** The only cell of each row, or the error in it. */
async function cellsOf(formula: string, more: object = {}): Promise<Record<string, unknown>> {
  const source = JSON.stringify({ filters: 'file.ext == "md"', formulas: { f: formula } });
  const { rows, errors } = await query({ source, columns: ['formula.f'], limit: 50, ...more });
  const wrong = new Map(errors.map(({ path, message }) => [path, `Error: ${message}`]));
  return Object.fromEntries(rows.map(({ path, values }) => [path, wrong.get(path) ?? values['formula.f']]));
}

describe('a base that is refused says where and why', () => {
  it.each([
    ['not YAML', { source: 'views:\n  - {type: table\nfilters: x' }, 3, /not YAML/],
    ['not a map', { source: '- a\n- b' }, 1, /a map with views/],
    ['an alias', { source: 'views: &v []\nfilters: {and: *v}' }, 2, /uses an alias/],
    [
      'two of and, or, not',
      { source: 'views: []\nfilters:\n  and: [a]\n  or: [b]' },
      3,
      /only have one of and, or and not/,
    ],
    ['none of them', { source: 'filters: {xor: [a]}' }, 1, /neither an expression nor one of/],
    ['filters that nest', { source: `filters: ${'{and: ['.repeat(60)}a${']}'.repeat(60)}` }, 1, /nested/],
    [
      'more than is read',
      { source: `filters: ${JSON.stringify('a || '.repeat(19_000))}x` },
      1,
      /not YAML|longer/,
    ],
  ])('%s', async (_, given, line, message) => {
    const error = await refusal(given);
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(message);
    expect(error.details).toMatchObject({ line });
  });

  it.each([
    ['an unknown function', 'dat("2024-01-01") > v', 0, 'did you mean date'],
    ['an unknown method', 'v.contans("a")', 0, 'did you mean contains'],
    ['an unknown field', 'file.fodler == "a"', 0, 'did you mean folder'],
    ['an unknown formula', 'formula.x > 1', 0, 'no formula "x"'],
    ['too few arguments', 'file.hasTag()', 0, 'takes'],
    ['too many arguments', 'v.contains(1, 2)', 0, 'takes'],
    ['what ends too early', 'v > ', 4, 'ends too early'],
    ['a string that is open', 'v == "a', 5, 'no closing'],
    ['syntax of before', 'contains(v, "a")', 0, 'x.contains(y)'],
  ])('%s', async (_, filter, at, message) => {
    const error = await refusal({ source: 'views: []', filter });
    expect(error.message).toContain(message);
    expect(error.details).toMatchObject({ where: 'filter', line: 1, column: at + 1 });
  });

  it('a view that is not there, with those that are', async () => {
    const source = 'views: [{type: table, name: Open}, {type: list, name: Done}]';
    const error = await refusal({ source, view: 'Opne' });
    expect(error.details).toEqual({ views: ['Open', 'Done'] });
    expect(error.next).toBe('Did you mean Open?');
  });

  it('a bomb of aliases, at once', async () => {
    const names = 'abcdefghi';
    const bomb = [...names]
      .map((name, at) => `${name}: &${name} [${`${at === 0 ? 'lol' : `*${names[at - 1]}`},`.repeat(9)}]`)
      .join('\n');
    const started = process.cpuUsage();
    await query({ source: `${bomb}\nviews: []`, limit: 1 }).catch(() => undefined);
    const error = await refusal({ source: `${bomb}\nviews: *i` });
    expect(error.message).toMatch(/alias/);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
  });
});

describe('what only some notes make impossible stays in their cell', () => {
  it('division by zero', async () => {
    const cells = await cellsOf('10 / (v - 10)');
    expect(cells['number.md']).toBe('Error: formula.f: Division by zero.');
    expect(cells['text.md']).toBe('Error: formula.f: A string and a number cannot be subtracted.');
    expect(await cellsOf('5 % 0')).toMatchObject({ 'date.md': 'Error: formula.f: Division by zero.' });
  });

  it('formulas in a circle', async () => {
    const source = JSON.stringify({
      filters: 'file.name == "number.md"',
      formulas: { a: 'formula.b + 1', b: 'formula.c', c: 'formula.a', d: '1 + 1' },
    });
    const { rows, errors } = await query({ source, columns: ['formula.a', 'formula.d'] });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(/circular reference/);
    expect(rows[0]?.values).toEqual({ 'formula.a': null, 'formula.d': 2 });
    expect(
      (await query({ source: JSON.stringify({ formulas: { a: '!formula.a' }, filters: 'formula.a' }) }))
        .total,
    ).toBe(0);
  });

  it('a date out of range, and one that is none', async () => {
    expect(await cellsOf('date("9999-12-31") + "1d"')).toMatchObject({
      'none.md': 'Error: formula.f: The date is out of range.',
    });
    expect(await cellsOf('date("2024-02-05") + "900000y"')).toMatchObject({
      'none.md': 'Error: formula.f: The date is out of range.',
    });
    expect(await cellsOf('date("2024-02-30")')).toMatchObject({
      'none.md': 'Error: formula.f: "2024-02-30" is no date.',
    });
  });

  it('a text, a list or a loop that grows without end', async () => {
    const texts = await cellsOf('"ab".repeat(1000).repeat(1000).repeat(1000)');
    expect(texts['none.md']).toBe('Error: formula.f: The text grows too long.');
    const steps = await cellsOf(
      `${'[1,2,3,4,5,6,7,8,9]'}${'.map([value,value,value,value,value]).flat()'.repeat(8)}.length`,
    );
    expect(steps['none.md']).toMatch(/too (?:many steps|long)/);
  });

  it('a regular expression that others hang on takes no time', async () => {
    const started = process.cpuUsage();
    const cells = await cellsOf(`/^(a+)+$/.matches("${'a'.repeat(5000)}!")`);
    expect(cells['none.md']).toBe(false);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
    expect((await cellsOf('/(a)\\1/.matches("aa")'))['none.md']).toMatch(/cannot be used/);
  });

  it('a property whose type differs from note to note: compared, sorted, summed up', async () => {
    const over = async (filter: string) =>
      (await query({ source: 'filters: file.ext == "md"', filter, limit: 50 })).rows.map(({ path }) => path);
    expect(await over('v > 9')).toEqual(['number.md']);
    expect(await over('v == 9')).toEqual(['numeral.md']);
    expect(await over('v > "2024-01-01"')).toEqual(['date.md', 'text.md']);
    const source =
      'filters: file.ext == "md"\nviews: [{type: table, name: T, order: [v], sort: [{property: v, direction: ASC}], summaries: {v: Sum, file.name: Unique}}]';
    const { rows, summaries, errors } = await query({ source, limit: 50 });
    expect(errors).toEqual([]);
    // Numbers, dates, text; maps and lists by their text; nothing last.
    expect(
      rows
        .map(({ path }) => path)
        .slice(-2)
        .sort(),
    ).toEqual(['none.md', 'without.md']);
    expect(summaries).toEqual([
      { column: 'v', summary: 'Sum', value: 10 },
      { column: 'name', summary: 'Unique', value: 8 },
    ]);
  });

  it('a base that lists itself', async () => {
    const { rows } = await query({ path: 'Self.base', filter: 'file.ext == "base"' });
    expect(rows.map(({ values }) => values)).toEqual([
      { 'file.name': 'Self.base', 'file.links': [], 'formula.own': 'Self.base' },
    ]);
    expect((await query({ path: 'Self.base', filter: 'file == this' })).total).toBe(1);
  });
});

/** Counts the turns of the event loop that other work got meanwhile. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let done = false;
  const count = () => {
    turns++;
    if (!done) setTimeout(count, 0);
  };
  setTimeout(count, 0);
  const result = await work();
  done = true;
  return { result, turns };
}

describe('what is large is bounded', () => {
  it('an answer of more than 50,000 rows comes in pages, and gives way to others', async () => {
    const source =
      'formulas: {h: n / 2}\nviews: [{type: table, name: T, order: [n], groupBy: {property: list, direction: ASC}, sort: [{property: formula.h, direction: DESC}], summaries: {n: Max}}]';
    const { result, turns } = await turnsDuring(() => query({ source }, large));
    expect(result).toMatchObject({ total: MANY * 40, matching: MANY, next_cursor: 'b10' });
    expect(result.rows).toHaveLength(10);
    expect(result.groups).toHaveLength(40);
    expect(turns).toBeGreaterThan(5);
    const text = `${baseQuery.summarise(result, parseInput(baseQuery, { source }))}\n${baseQuery.render(result, parseInput(baseQuery, { source }))}`;
    expect(Buffer.byteLength(text)).toBeLessThan(4096);
    const last = await query({ source, cursor: `b${MANY * 40 - 3}`, limit: 500 }, large);
    expect(last.rows).toHaveLength(3);
    expect(last.next_cursor).toBeNull();
  }, 60_000);

  it('ten rows are told in less than 2 KB', async () => {
    const given = { source: 'views: [{type: table, name: T, order: [file.name, n, due, file.tags]}]' };
    const result = await query(given, large);
    const input = parseInput(baseQuery, given);
    expect(result.rows).toHaveLength(10);
    expect(
      Buffer.byteLength(`${baseQuery.summarise(result, input)}\n${baseQuery.render(result, input)}`),
    ).toBeLessThan(2048);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(2048);
  });

  it('a filter of 2,500 terms is worked out as one expression, and one of 10,000 refused as a list', async () => {
    const terms = Array.from({ length: 10_000 }, (_, at) => (at === 2499 ? 'n==7' : 'x==1'));
    // The time of a call is limited, and a busy machine takes three times as long.
    const { result, turns } = await turnsDuring(() =>
      query({ source: `filters: ${terms.slice(0, 2500).join('||')}`, columns: ['n'] }, large),
    );
    expect(result.rows.map(({ values }) => values.n)).toEqual([7]);
    expect(turns).toBeGreaterThan(5);
    const error = await refusal({ source: `filters: {or: [${terms.join(',')}]}` });
    expect(error.message).toBe('source:1:1: the base has more in it than is read.');
  }, 60_000);

  it('links and backlinks of every note are loaded between the turns of others', async () => {
    const source = 'filters: file.links.length > 0 && file.backlinks.length > 0';
    const { result, turns } = await turnsDuring(() => query({ source }, large));
    expect(result.total).toBeGreaterThan(MANY / 2);
    expect(turns).toBeGreaterThan(20);
  }, 60_000);

  it('a base with a thousand broken expressions shows the first hundred', async () => {
    const formulas = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, `v.nope${at}(`]));
    const source = JSON.stringify({ formulas });
    const out = await baseCheck.run(vault.session, parseInput(baseCheck, { source }), context());
    expect(out.problems).toHaveLength(100);
    expect(out.expressions).toBe(1000);
  });
});
