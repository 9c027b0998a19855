import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import { openIndexReader } from './read/reader.ts';
import { fileInput, scratchIndex } from './testing.ts';
import { openIndexWriter } from './write/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function scratch(): string {
  const { path, remove } = scratchIndex();
  cleanups.push(remove);
  return path;
}

/** Number of segments of the full-text index. */
function pieces(path: string): number {
  const database = openDatabase(path);
  const row = database.prepare('SELECT count(DISTINCT segid) AS n FROM fts_idx').get();
  database.close();
  return Number(row?.n);
}

function built(path: string, batches: number): void {
  const writer = openIndexWriter(path);
  writer.beginBulk();
  for (let batch = 0; batch < batches; batch++)
    writer.apply([fileInput(`${batch}.md`, `word number${batch}\n`)], []);
  writer.endBulk();
  writer.close();
}

test('what a first build wrote in pieces is merged when nothing else is to do, by the next process if need be', () => {
  const path = scratch();
  built(path, 3);
  expect(pieces(path)).toBe(3);
  const writer = openIndexWriter(path);
  for (let steps = 0; writer.tidy(); steps++) expect(steps).toBeLessThan(20);
  writer.close();
  expect(pieces(path)).toBe(1);
});

test('a few pieces that updates left are not worth merging', () => {
  const path = scratch();
  const writer = openIndexWriter(path);
  for (const name of ['A', 'B', 'C']) writer.apply([fileInput(`${name}.md`, 'word\n')], []);
  while (writer.tidy());
  writer.close();
  expect(pieces(path)).toBe(3);
});

/** Runs maintenance until nothing is left. */
function tidied(path: string): void {
  const writer = openIndexWriter(path);
  for (let steps = 0; writer.tidy(); steps++) expect(steps).toBeLessThan(1000);
  writer.close();
}

function query(path: string, sql: string): Record<string, unknown> {
  const database = openDatabase(path);
  const row = database.prepare(sql).get();
  database.close();
  return row ?? {};
}

const LOOSE = 'SELECT count(*) AS n FROM body WHERE packed IS NULL';
const note = (at: number, more = '') =>
  `---\nstatus: open\ntags: [project/garden]\n---\n# Note ${at}\n\n${`What was said about ${at} in the weekly meeting. ${more}\n`.repeat(40)}`;

async function texts(path: string): Promise<Map<string, string>> {
  const reader = openIndexReader(path);
  const found = new Map<string, string>();
  for await (const { path: file, text } of reader.scan({})) found.set(file, text);
  await reader.close();
  return found;
}

test('texts are packed when nothing else is to do, and read as they were', async () => {
  const path = scratch();
  const written = new Map(Array.from({ length: 300 }, (_, at) => [`${at}.md`, note(at)]));
  written.set('Odd.md', '\uFEFFnul \0 and 日本語 🌸\r\n');
  written.set('Empty.md', '');
  const writer = openIndexWriter(path);
  writer.apply(
    [...written].map(([file, text]) => fileInput(file, text)),
    [],
  );
  writer.close();
  const before = query(path, 'SELECT total(length(text)) AS n FROM body').n;
  tidied(path);
  expect(query(path, LOOSE).n).toBe(0);
  expect(Number(query(path, 'SELECT total(length(text)) AS n FROM body').n)).toBeLessThan(Number(before) / 5);
  expect(await texts(path)).toEqual(new Map([...written].sort()));

  const reader = openIndexReader(path);
  expect((await reader.text('Odd.md'))?.text).toBe(written.get('Odd.md'));
  expect((await reader.hitSources(['7.md'])).get('7.md')?.text).toBe(note(7));
  await reader.close();
});

test('a note that is written stays as it is until there are many, and then all are packed', async () => {
  const path = scratch();
  const notes = Array.from({ length: 300 }, (_, at) => fileInput(`${at}.md`, note(at)));
  const writer = openIndexWriter(path);
  writer.apply(notes, []);
  writer.close();
  tidied(path);
  const again = openIndexWriter(path);
  again.apply([fileInput('0.md', note(0, 'again'))], []);
  again.close();
  tidied(path);
  expect(query(path, LOOSE).n).toBe(1);
  const many = openIndexWriter(path);
  many.apply(
    Array.from({ length: 80 }, (_, at) => fileInput(`${at}.md`, note(at, 'once more'))),
    [],
  );
  many.close();
  tidied(path);
  expect(query(path, LOOSE).n).toBe(0);
  expect((await texts(path)).get('79.md')).toBe(note(79, 'once more'));
  expect((await texts(path)).get('80.md')).toBe(note(80));
});

test('a vault that has grown out of its dictionary gets another one; texts packed with the first stay readable', async () => {
  const path = scratch();
  const add = (from: number, to: number) => {
    const writer = openIndexWriter(path);
    const range = Array.from({ length: to - from }, (_, at) => from + at);
    writer.apply(
      range.map((at) => fileInput(`${at}.md`, note(at))),
      [],
    );
    writer.close();
    tidied(path);
  };
  add(0, 80);
  expect(query(path, 'SELECT count(*) AS n FROM dictionary').n).toBe(1);
  add(80, 160);
  expect(query(path, 'SELECT count(*) AS n FROM dictionary').n).toBe(1);
  add(160, 600);
  expect(query(path, 'SELECT count(*) AS n FROM dictionary').n).toBe(2);
  const found = await texts(path);
  for (const at of [0, 79, 80, 599]) expect(found.get(`${at}.md`)).toBe(note(at));
});

test('free pages are given back to the file system, also by a file that could not do so before', () => {
  const path = scratch();
  const old = openDatabase(path);
  old.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE filled (data BLOB)');
  const fill = old.prepare('INSERT INTO filled VALUES (zeroblob(100000))');
  for (let row = 0; row < 50; row++) fill.run();
  old.close();
  const pages = () => Number(query(path, 'PRAGMA page_count').page_count);
  expect(pages()).toBeGreaterThan(1000);
  tidied(path);
  expect(pages()).toBeLessThan(200);

  const writer = openIndexWriter(path);
  const files = Array.from({ length: 400 }, (_, at) => fileInput(`${at}.md`, note(at)));
  writer.apply(files, []);
  const filled = pages();
  writer.apply(
    [],
    files.map(({ entry }) => entry.path),
  );
  for (let steps = 0; writer.tidy(); steps++) expect(steps).toBeLessThan(1000);
  writer.close();
  expect(pages()).toBeLessThan(filled / 2);
});
