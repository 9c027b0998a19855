import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import { openIndexReader } from './read/reader.ts';
import { fileInput, inputs, scratchIndex, words } from './testing.ts';
import { openIndexWriter, type SqliteIndexWriter } from './write/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function scratch(): string {
  const { path, remove } = scratchIndex();
  cleanups.push(remove);
  return path;
}

/**
 * A copy of the file for use as by another process, as closed connections of this one may still lock the
 * original.
 */
function copied(path: string): string {
  const copy = scratch();
  copyFileSync(path, copy);
  return copy;
}

function filled(path: string): void {
  const writer = openIndexWriter(path);
  writer.apply(inputs({ 'A.md': 'word [[B]]\n', 'B.md': '' }), []);
  writer.close();
}

test('an index survives being closed and opened', async () => {
  const path = scratch();
  filled(path);
  const writer = openIndexWriter(path);
  expect([...writer.known().keys()].sort()).toEqual(['A.md', 'B.md']);
  writer.close();
  const reader = openIndexReader(path);
  expect((await reader.lexical(words('word'), { limit: 5 })).total).toBe(1);
  await reader.close();
});

test.each([
  ['garbage', (path: string) => writeFileSync(path, 'not a database, certainly not one of ours'.repeat(200))],
  ['an empty file', (path: string) => writeFileSync(path, '')],
  ['a cut file', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 8000))],
  [
    'another version',
    (path: string) => {
      const database = openDatabase(path);
      database.exec("UPDATE meta SET value = '0.0.obsidian' WHERE key = 'stamp'");
      database.close();
    },
  ],
  [
    'another program',
    (path: string) => {
      rmSync(path);
      const database = openDatabase(path);
      database.exec('CREATE TABLE file (other INTEGER); CREATE VIRTUAL TABLE fts USING fts5 (x);');
      database.close();
    },
  ],
])('%s is replaced by an empty index', async (_, damage) => {
  const original = scratch();
  filled(original);
  const path = copied(original);
  damage(path);
  const writer = openIndexWriter(path);
  cleanups.push(() => writer.close());
  expect(writer.known().size).toBe(0);
  writer.apply(inputs({ 'C.md': 'again\n' }), []);
  const reader = openIndexReader(path);
  expect((await reader.lexical(words('again'), { limit: 5 })).total).toBe(1);
  await reader.close();
});

test('damage found while reading is remembered and repaired by the next start', async () => {
  const original = scratch();
  const writer = openIndexWriter(original);
  const text = 'lorem ipsum dolor '.repeat(300);
  writer.apply(inputs(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`n${i}.md`, text]))), []);
  writer.close();
  const path = copied(original);
  const bytes = readFileSync(path);
  for (let page = 4096; page < bytes.length; page += 4096) {
    if (bytes.subarray(page, page + 4096).includes('lorem ipsum')) bytes.fill(0xff, page, page + 4096);
  }
  writeFileSync(path, bytes);
  const reader = openIndexReader(path);
  const scan = async () => {
    for await (const _ of reader.scan({})) {
      // Only whether it can be read matters.
    }
    await reader.lexical(words('lorem'), { limit: 100 });
  };
  await expect(scan()).rejects.toMatchObject({ code: 'unavailable', details: { reason: 'damaged' } });
  await reader.close();
  expect(() => openIndexReader(path)).toThrowError(expect.objectContaining({ code: 'unavailable' }));
  const next = openIndexWriter(path);
  expect(next.known().size).toBe(0);
  next.close();
});

test('a folder that cannot hold the index is an error that says so', () => {
  const path = scratch();
  mkdirSync(path);
  expect(() => openIndexWriter(path)).toThrowError(expect.objectContaining({ code: 'unavailable' }));
  expect(() => openIndexWriter(join(path, 'missing', 'index.db'))).toThrowError(
    expect.objectContaining({ code: 'unavailable' }),
  );
  expect(() => openIndexReader(`${path}-none`)).toThrowError(
    expect.objectContaining({ code: 'unavailable' }),
  );
});

test('the dialect is kept until another one is asked for, which starts over', () => {
  const path = scratch();
  const first = openIndexWriter(path, { dialect: 'logseq' });
  first.apply(inputs({ 'A.md': '' }, 'logseq'), []);
  first.close();
  const same = openIndexWriter(path);
  same.setDialect('logseq');
  expect(same.known().size).toBe(1);
  same.setDialect('obsidian');
  expect(same.known().size).toBe(0);
  same.apply(inputs({ 'B.md': '' }), []);
  expect(same.known().size).toBe(1);
  same.close();
});

test('a first build that was cut short is finished by the next writer', async () => {
  const path = scratch();
  const cut = openIndexWriter(path);
  cut.beginBulk();
  cut.apply(inputs({ 'A.md': '[[B]] #tag\n', 'B.md': '' }), []);
  cut.close();
  openIndexWriter(path).close();
  const reader = openIndexReader(path);
  expect((await reader.backlinks('B.md', { limit: 5 })).total).toBe(1);
  expect((await reader.tags({ limit: 5 })).items).toEqual([{ tag: 'tag', notes: 1, notesNested: 1 }]);
  await reader.close();
});

test('a first build that another process left is finished by one that stays', async () => {
  const path = scratch();
  const staying = openIndexWriter(path);
  staying.takeOver();
  const leaving = openIndexWriter(path);
  leaving.beginBulk();
  leaving.apply(inputs({ 'A.md': '[[B]]', 'B.md': '' }), []);
  leaving.close();
  const reader = openIndexReader(path);
  const backlinks = async () => (await reader.backlinks('B.md', { limit: 5 })).total;
  expect(await backlinks()).toBe(0);
  staying.takeOver();
  expect(await backlinks()).toBe(1);
  await reader.close();
  staying.close();
});

test('a first build during which the machine went down starts over', () => {
  const path = scratch();
  const cut = openIndexWriter(path);
  cut.beginBulk();
  cut.apply(inputs({ 'A.md': 'x' }), []);
  cut.close();
  const database = openDatabase(path);
  database.exec("UPDATE meta SET value = value - 7200 WHERE key = 'pending'");
  database.close();
  // A reader that opened it now would keep using a file that is about to be replaced.
  expect(() => openIndexReader(path)).toThrowError(expect.objectContaining({ code: 'unavailable' }));
  const next = openIndexWriter(path);
  expect(next.known().size).toBe(0);
  next.close();
});

test('after the machine went down, places in the order of changes from before count as of another index', async () => {
  const path = scratch();
  const epoch = async () => {
    const reader = openIndexReader(path);
    const { newest } = await reader.changesSince(undefined, 1);
    await reader.close();
    return newest.epoch;
  };
  const first = openIndexWriter(path);
  first.apply(inputs({ 'A.md': 'x' }), []);
  first.close();
  const before = await epoch();
  openIndexWriter(path).close();
  expect(await epoch()).toBe(before);

  // The changes on disk may be older than those that clients were notified of.
  const database = openDatabase(path);
  database.exec("UPDATE meta SET value = 'a start before this one' WHERE key = 'start'");
  database.close();
  const next = openIndexWriter(path);
  expect([...next.known().keys()]).toEqual(['A.md']);
  next.close();
  const after = await epoch();
  expect(after).not.toBe(before);
  openIndexWriter(path).close();
  expect(await epoch()).toBe(after);
});

test('what another process took for a finished build still counts as unfinished while notes come in', () => {
  const path = scratch();
  const building = openIndexWriter(path);
  building.beginBulk();
  building.apply(inputs({ 'A.md': '[[B]]' }), []);
  openIndexWriter(path).close();
  building.apply(inputs({ 'B.md': 'x' }), []);
  building.close();
  openIndexWriter(path).close();
  const database = openDatabase(path);
  expect(database.prepare('SELECT count(*) AS n FROM link WHERE target IS NOT NULL').get()?.n).toBe(1);
  database.close();
});

test.each<[string, (writer: SqliteIndexWriter) => void]>([
  ['tidied up', (writer) => void writer.tidy()],
  ['closed', (writer) => writer.close()],
])('a first build counts as unfinished until it is on disk: when %s', (when, conclude) => {
  const path = scratch();
  const writer = openIndexWriter(path);
  writer.beginBulk();
  writer.apply(inputs({ 'A.md': 'x' }), []);
  writer.endBulk();
  const pending = () => {
    const database = openDatabase(path);
    const row = database.prepare("SELECT value FROM meta WHERE key = 'pending'").get();
    database.close();
    return row !== undefined;
  };
  expect(pending()).toBe(true);
  conclude(writer);
  expect(pending()).toBe(false);
  if (when !== 'closed') writer.close();
});

test('two writers and a reader on one index see each other, and the same file twice is one', async () => {
  const path = scratch();
  const left = openIndexWriter(path);
  const right = openIndexWriter(path);
  const reader = openIndexReader(path);
  cleanups.push(
    () => left.close(),
    () => right.close(),
    () => reader.close(),
  );
  left.apply([fileInput('A.md', '[[B]]\n')], []);
  right.apply([fileInput('A.md', '[[B]]\n'), fileInput('B.md', '')], []);
  expect((await reader.backlinks('B.md', { limit: 5 })).total).toBe(1);
  left.apply([], ['B.md']);
  expect((await reader.unresolved({ limit: 5 })).total).toBe(1);
  expect([...right.known().keys()]).toEqual(['A.md']);
});

test('a writer killed at any moment leaves a whole index', async () => {
  const path = scratch();
  await build({
    stdin: {
      contents: `
        import { openIndexWriter, type SqliteIndexWriter } from './write/writer.ts';
        import { inputs } from './testing.ts';
        const writer = openIndexWriter(process.argv[2]);
        process.stdout.write('ready');
        for (let round = 0; ; round += 1) {
          const at = (i) => 'n' + ((round * 7 + i) % 40) + '.md';
          const files = Array.from({ length: 10 }, (_, i) => [at(i), 'word' + round + ' [[n' + i + ']] #t' + (round % 5) + '\\n']);
          writer.apply(inputs(Object.fromEntries(files)), [at(20), at(21)]);
        }`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: join(import.meta.dirname, '../../../node_modules/.cache/lectern-kill-test.mjs'),
    logLevel: 'silent',
  });
  const bundle = join(import.meta.dirname, '../../../node_modules/.cache/lectern-kill-test.mjs');
  for (let round = 0; round < Number(process.env.LECTERN_KILL_ROUNDS ?? 3); round += 1) {
    const child = spawn(process.execPath, [bundle, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 37));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const database = openDatabase(path);
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    database.exec("INSERT INTO fts (fts) VALUES ('integrity-check')");
    const rows = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    expect(rows('fts_docsize')).toBe(rows('body'));
    expect(rows('note')).toBe(rows('file'));
    database.close();
    const writer = openIndexWriter(path);
    writer.apply([fileInput('after.md', `still ${round}\n`)], []);
    writer.close();
  }
  expect(existsSync(path)).toBe(true);
});
