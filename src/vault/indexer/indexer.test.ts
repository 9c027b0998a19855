import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStore } from '../../../test/doubles/memory-store.ts';
import { LecternError } from '../../errors.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import { openIndexReader } from '../../index/sqlite/read/reader.ts';
import { writerPort } from '../../index/sqlite/write/port.ts';
import { openIndexWriter } from '../../index/sqlite/write/writer.ts';
import { etagOf } from '../../notes/etag.ts';
import type { Store, StoreChange, StoreProblem } from '../../stores/store.ts';
import type { VaultChange } from '../events.ts';
import type { IndexState } from '../session.ts';
import { digest } from './digest.ts';
import { Indexer } from './indexer.ts';

let state: string;
let seen: { states: IndexState[]; changes: VaultChange[]; problems: readonly StoreProblem[] };
let running: Indexer | undefined;
let reader: NoteIndexReader | undefined;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'lectern-indexer-'));
  seen = { states: [], changes: [], problems: [] };
});

afterEach(async () => {
  await reader?.close();
  await running?.close();
  running = undefined;
  reader = undefined;
  rmSync(state, { recursive: true, force: true });
});

/** Starts an indexer on the store and waits until it has caught up. */
async function indexing(store: Store): Promise<Indexer> {
  const indexer = new Indexer({
    store,
    writer: writerPort(openIndexWriter(join(state, 'index.db'), { dialect: 'obsidian' })),
    digest: (entry, bytes) => digest(entry, bytes, 'obsidian'),
    onState: (one) => seen.states.push(one),
    onChanges: (changes) => seen.changes.push(...changes),
    onProblems: (problems) => {
      seen.problems = problems;
    },
    onError: (error) => {
      throw error;
    },
  });
  running = indexer;
  await indexer.start();
  await indexer.sync();
  reader ??= openIndexReader(join(state, 'index.db'));
  return indexer;
}

const paths = async () => (await reader?.list({}, 'path', { limit: 5000 }))?.items.map((note) => note.path);

test('opens empty, reconciles, and reports what was created', async () => {
  await indexing(openMemoryStore({ files: { 'a.md': '[[b]]', 'b.md': 'x', 'i.png': 'p' } }));
  expect(await paths()).toEqual(['a.md', 'b.md']);
  expect((await reader?.backlinks('b.md', { limit: 5 }))?.total).toBe(1);
  expect(seen.changes.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
    'created a.md',
    'created b.md',
    'created i.png',
  ]);
  expect(seen.states.at(-1)?.state).toBe('ready');
});

test('a second start reads nothing that did not change and says nothing', async () => {
  const first = openMemoryStore({ files: { 'a.md': 'x', 'b.md': 'y' } });
  await (await indexing(first)).close();
  seen.changes = [];
  let reads = 0;
  await indexing({
    ...first,
    read: (path) => {
      reads++;
      return first.read(path);
    },
  });
  expect(reads).toBe(0);
  expect(seen.changes).toEqual([]);
});

test('follows edits, removals and folders that go, each exactly once', async () => {
  const store = openMemoryStore({ files: { 'd/a.md': 'x', 'd/b.md': 'y', 'c.md': 'z' } });
  const outside = openMemoryStore({ shareWith: store });
  await indexing(store);
  seen.changes = [];
  await outside.moveFolder('d', 'e');
  await expect.poll(paths).toEqual(['c.md', 'e/a.md', 'e/b.md']);
  await outside.trash('c.md');
  await expect.poll(paths).toEqual(['e/a.md', 'e/b.md']);
  expect(seen.changes.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
    'created e/a.md',
    'created e/b.md',
    'removed c.md',
    'removed d/a.md',
    'removed d/b.md',
  ]);
});

test('a touched file is not reported as changed', async () => {
  const store = openMemoryStore({ files: { 'a.md': 'same' } });
  const indexer = await indexing(store);
  seen.changes = [];
  const { entry, bytes } = await store.read('a.md');
  const touched = { ...entry, version: `${entry.version}+` };
  const list = store.list.bind(store);
  store.list = async (prefix, signal) => ({ ...(await list(prefix, signal)), entries: [touched] });
  store.read = async () => ({ entry: touched, bytes });
  await indexer.sync();
  expect(seen.changes).toEqual([]);
});

test('a note that would take minutes to parse holds nobody up: it is found by its text, and reported', async () => {
  const store = openMemoryStore({
    files: {
      'slow.md': `---\ntags: [kept]\n---\nkraken ${'[[é]] '.repeat(200_000)}`,
      'after.md': 'kraken [[slow]]',
    },
  });
  await indexing(store);
  expect(seen.problems.map(({ path, code }) => [path, code])).toEqual([['slow.md', 'not_parsed']]);
  const asked = { required: [{ text: 'kraken', phrase: false, prefix: false }], optional: [], excluded: [] };
  const found = await reader?.lexical(asked, { limit: 5 });
  expect(found?.items.map(({ path }) => path).sort()).toEqual(['after.md', 'slow.md']);
  expect((await reader?.note('slow.md'))?.tags).toEqual(['kept']);
  expect((await reader?.backlinks('slow.md', { limit: 5 }))?.total).toBe(1);
});

test('what cannot be read or is not text is found by name and reported', async () => {
  const store = openMemoryStore({
    files: { 'bad.md': new Uint8Array([0xff, 0xfe, 0x41]), 'shut.md': 'x', 'l.md': '[[bad]]' },
  });
  const read = store.read.bind(store);
  store.read = async (path) => {
    if (path === 'shut.md') throw new LecternError('unavailable', 'No permission.');
    return read(path);
  };
  await indexing(store);
  expect(seen.problems.map(({ path, code }) => [path, code]).sort()).toEqual([
    ['bad.md', 'not_utf8'],
    ['shut.md', 'unreadable'],
  ]);
  expect((await reader?.backlinks('bad.md', { limit: 5 }))?.total).toBe(1);
});

test('what is not text is told after a restart as before, though nothing is read again', async () => {
  const store = openMemoryStore({
    files: {
      'bad.md': new Uint8Array([0xff, 0xfe]),
      'torn.canvas': '{"nodes": [',
      'gone.md': new Uint8Array([0xff]),
      'good.md': 'x',
    },
  });
  const kept: Store = { ...store, close: async () => {} };
  const told = () => seen.problems.map(({ path, code, message }) => [path, code, message]).sort();
  await (await indexing(kept)).close();
  const before = told();
  expect(before.map(([path, code]) => [path, code])).toEqual([
    ['bad.md', 'not_utf8'],
    ['gone.md', 'not_utf8'],
    ['torn.canvas', 'unreadable'],
  ]);

  seen.problems = [];
  await (await indexing({ ...kept, read: () => Promise.reject(new Error('Nothing changed.')) })).close();
  expect(told()).toEqual(before);

  // Away while nobody looked, and mended: neither is told again.
  await store.remove('gone.md', { expectedEtag: etagOf(new Uint8Array([0xff])) });
  const { bytes } = await store.read('bad.md');
  await store.replace('bad.md', new TextEncoder().encode('text'), { expectedEtag: etagOf(bytes) });
  for (let start = 0; start < 2; start++) {
    seen.problems = [];
    await (await indexing(kept)).close();
    expect(told().map(([path]) => path)).toEqual(['torn.canvas']);
  }
  running = undefined;
});

test('a path asked for by a write is served in the middle of a large build', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at) => [`n${at}.md`, `[[n${(at + 1) % 3000}]] word${at}`]),
  );
  const store = openMemoryStore({ files });
  const indexer = new Indexer({
    store,
    writer: writerPort(openIndexWriter(join(state, 'index.db'), { dialect: 'obsidian' })),
    digest: (entry, bytes) => digest(entry, bytes, 'obsidian'),
    onState: (one) => seen.states.push(one),
    onChanges: (changes) => seen.changes.push(...changes),
    onProblems: () => {},
    onError: (error) => {
      throw error;
    },
  });
  running = indexer;
  await indexer.start();
  await store.create('urgent.md', new TextEncoder().encode('quokka'));
  await indexer.index(['urgent.md']);
  const place = seen.changes.findIndex(({ path }) => path === 'urgent.md');
  expect(place).toBeGreaterThanOrEqual(0);
  expect(place).toBeLessThan(2000);
  await indexer.sync();
  reader = openIndexReader(join(state, 'index.db'));
  expect((await reader.counts()).unresolved).toBe(0);
  expect((await reader.backlinks('n0.md', { limit: 5 })).total).toBe(1);
});

test('a path asked for by a write is served while the store is being listed, and what it says then is kept', async () => {
  const store = openMemoryStore({ files: { 'a.md': 'a', 'gone.md': 'x' } });
  const indexer = await indexing(store);
  const { list } = store;
  let listed: (() => void) | undefined;
  store.list = async (...asked) => {
    // As it was when the listing began.
    const listing = await list(...asked);
    await new Promise<void>((resolve) => {
      listed = resolve;
    });
    return listing;
  };
  const synced = indexer.sync();
  await expect.poll(() => listed).toBeDefined();
  await store.create('urgent.md', new TextEncoder().encode('quokka'));
  await store.remove('gone.md', { expectedEtag: etagOf(new TextEncoder().encode('x')) });
  await store.replace('a.md', new TextEncoder().encode('b'), {
    expectedEtag: etagOf(new TextEncoder().encode('a')),
  });
  await indexer.index(['urgent.md', 'gone.md', 'a.md']);
  expect(await paths()).toEqual(['a.md', 'urgent.md']);
  seen.changes = [];
  listed?.();
  await synced;
  expect(await paths()).toEqual(['a.md', 'urgent.md']);
  expect(seen.changes).toEqual([]);
});

test('a sync takes what the store tells by change times, and lists where it cannot tell', async () => {
  const store = openMemoryStore({ files: { 'a.md': 'a', 'gone.md': 'x', 'd/b.md': 'b' } });
  const outside = openMemoryStore({ shareWith: store });
  const listings: string[] = [];
  let told: readonly StoreChange[] | undefined = [];
  let asked: number[] = [];
  let files: string[] = [];
  const telling: Store = {
    ...store,
    // Nobody reports anything.
    watch: async () => async () => {},
    list: async (prefix = '', signal) => {
      listings.push(prefix);
      return store.list(prefix, signal);
    },
    touchedSince: async (time, known) => {
      asked.push(time);
      files = [...known.keys()].sort();
      return told;
    },
  };
  const before = Date.now();
  const indexer = await indexing(telling);
  expect(listings).toEqual(['']);
  asked = [];
  await outside.create('new.md', new TextEncoder().encode('n'));
  await outside.create('d/c.md', new TextEncoder().encode('c'));
  await outside.remove('gone.md', { expectedEtag: etagOf(new TextEncoder().encode('x')) });
  told = [
    { kind: 'changed', path: 'new.md' },
    { kind: 'removed', path: 'gone.md' },
    { kind: 'rescan', path: 'd' },
  ];
  await indexer.sync();
  expect(await paths()).toEqual(['a.md', 'd/b.md', 'd/c.md', 'new.md']);
  expect(listings).toEqual(['', 'd']);
  told = [];
  await indexer.sync();
  expect(files).toEqual(await paths());
  expect(asked.every((time) => time >= before)).toBe(true);
  expect((asked[1] ?? 0) >= (asked[0] ?? Number.POSITIVE_INFINITY)).toBe(true);
  told = undefined;
  await outside.create('other.md', new TextEncoder().encode('o'));
  await indexer.sync();
  expect(await paths()).toContain('other.md');
  expect(listings).toEqual(['', 'd', '']);
});

test('while paused, changes from outside wait; what is asked for does not', async () => {
  const store = openMemoryStore({ files: { 'a.md': 'a' } });
  const outside = openMemoryStore({ shareWith: store });
  const indexer = await indexing(store);
  const reported: string[] = [];
  await store.watch((changes) => reported.push(...changes.map(({ path }) => path)));
  indexer.pause();
  indexer.pause();
  indexer.resume();
  await outside.create('b.md', new TextEncoder().encode('b'));
  await store.create('c.md', new TextEncoder().encode('c'));
  await expect.poll(() => reported).toContain('b.md');
  // The indexer was told before this listener. Of two requests one after the other, the second is served in a turn of
  // its loop that began after that.
  await indexer.index(['c.md']);
  await indexer.index(['c.md']);
  expect(await paths()).toEqual(['a.md', 'c.md']);
  await indexer.sync();
  expect(await paths()).toEqual(['a.md', 'b.md', 'c.md']);
  await outside.create('d.md', new TextEncoder().encode('d'));
  indexer.resume();
  await expect.poll(paths).toEqual(['a.md', 'b.md', 'c.md', 'd.md']);
});

test('an index that another process made start over, and left empty, is filled again', async () => {
  const indexer = await indexing(
    openMemoryStore({ files: { 'a.md': 'x', 'bad.md': new Uint8Array([0xff]) } }),
  );
  expect(await paths()).toEqual(['a.md', 'bad.md']);
  openIndexWriter(join(state, 'index.db'), { dialect: 'logseq' }).close();
  expect(await paths()).toEqual([]);
  await indexer.sync();
  expect(await paths()).toEqual(['a.md', 'bad.md']);
  expect(seen.problems.map(({ path }) => path)).toEqual(['bad.md']);
});

test('a note that cannot be read is told again after a restart, without being news', async () => {
  const store = openMemoryStore({ files: { 'a.md': 'a', 'shut.md': 'x' } });
  const shut: Store = {
    ...store,
    async read(path) {
      if (path === 'shut.md') throw new LecternError('unavailable', 'The system denies access to shut.md.');
      return store.read(path);
    },
    close: async () => {},
  };
  for (const expected of [['a.md', 'shut.md'], []]) {
    seen = { states: [], changes: [], problems: [] };
    const indexer = await indexing(shut);
    expect(seen.problems.map(({ path }) => path)).toEqual(['shut.md']);
    expect(seen.changes.map(({ path }) => path).sort()).toEqual(expected);
    await indexer.sync();
    expect(seen.changes).toHaveLength(expected.length);
    await indexer.close();
    running = undefined;
  }
  await indexing(store);
  expect(seen.problems).toEqual([]);
});
