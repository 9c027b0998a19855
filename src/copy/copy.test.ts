import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../../test/doubles/memory-store.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import { Away } from '../stores/presence.ts';
import type { Store } from '../stores/store.ts';
import { copyVault } from './copy.ts';
import { CopyRecord } from './record.ts';
import type { FrontMatter } from './text/text-of-facts.ts';

const FILES = {
  'Index.md': '# Index\n\n[[Harbour]] and [tides](Sea/Tide%20table.md#Slack), ![[crane.png|20]]\n',
  'Sea/Harbour.md': '---\ntags: [sea, work]\nrank: 3 # mine\n---\n\nBack to [[Index|the start]]. #boat\r\n',
  'Sea/Tide table.md': 'Slack: see [[Harbour#Cranes]] and [[Nowhere]].',
  'Sea/crane.png': 'png',
};
const OPTIONS = {
  record: undefined as CopyRecord | undefined,
  dryRun: false,
  frontMatter: 'needed' as FrontMatter,
};

interface Run extends Partial<typeof OPTIONS> {
  readonly toFolder?: string;
  readonly fromFolder?: string;
}

const fresh = () => mkdtempSync(join(tmpdir(), 'lectern-copy-record-'));

async function copy(from: Store, to: Store, run: Run = {}) {
  const { toFolder = '', fromFolder = '', dryRun = false } = run;
  const record = run.record ?? (await CopyRecord.open(fresh(), ['test'], dryRun));
  const open = { mayRead: () => true, mayWrite: () => true, name: 'test' };
  try {
    return await copyVault({
      ...OPTIONS,
      ...run,
      record,
      from: { ...open, store: from, folder: fromFolder },
      to: { ...open, store: to, folder: toFolder },
      signal: new AbortController().signal,
      onProgress: () => {},
    });
  } finally {
    await record.close();
  }
}

async function contents(store: Store): Promise<Record<string, string>> {
  const { entries } = await store.list();
  const files = await Promise.all(entries.map(({ path }) => store.read(path)));
  const texts = files.map(({ entry, bytes }) => [entry.path, Buffer.from(bytes).toString('utf8')] as const);
  return Object.fromEntries(texts.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const paths = openMemoryStore;
const ids = () => openMemoryStore({ facts: true });

describe('a copy', () => {
  it('into a home of ids has links by id, facts and times, and comes back to the last byte', async () => {
    const [from, there, back] = [paths({ files: FILES }), ids(), paths()];
    const report = await copy(from, there, { toFolder: 'Notes' });
    expect(report).toMatchObject({
      notes: { copied: 3 },
      attachments: { copied: 1 },
      notCarried: [],
      differences: [],
    });
    const index = await there.read('Notes/Index.md');
    expect(Buffer.from(index.bytes).toString()).toMatch(/\[Harbour\]\(:\/[0-9a-f]{32} "\[\[Harbour\]\]"\)/);
    const harbour = (await there.read('Notes/Sea/Harbour.md')).entry;
    expect([...(harbour.facts?.tags ?? [])].sort()).toEqual(['boat', 'sea', 'work']);
    expect(harbour.mtimeMs).toBe((await from.read('Sea/Harbour.md')).entry.mtimeMs);
    expect((await copy(there, back, { fromFolder: 'Notes' })).differences).toEqual([]);
    expect(await contents(back)).toEqual(FILES);
  });

  it('with all of the front matter says what the export says, and nothing else differs', async () => {
    const [there, back] = [ids(), paths()];
    await copy(paths({ files: FILES }), there, { toFolder: 'Notes' });
    await copy(there, back, { fromFolder: 'Notes', frontMatter: 'all' });
    const files = await contents(back);
    expect(files['Index.md']).toMatch(
      /^---\ntitle: Index\nid: [0-9a-f]{32}\nupdated: [-\d]{10} [:\d]{8}Z\ncreated: [-\d]{10} [:\d]{8}Z\n---\n\n# Index\n/,
    );
    const own = files['Sea/Harbour.md'] ?? '';
    expect(own).toContain('tags: [sea, work]\nrank: 3 # mine\n');
    expect(own.replace(/^(?:title|id|updated|created): .*\r?\n/gm, '')).toBe(FILES['Sea/Harbour.md']);
    const again = paths();
    const once = ids();
    await copy(back, once, { toFolder: 'Notes' });
    await copy(once, again, { fromFolder: 'Notes', frontMatter: 'all' });
    expect(await contents(again)).toEqual(files);
  });

  it('of a to-do with a place has them in the front matter, and takes them from there', async () => {
    const [there, back, again] = [ids(), paths(), ids()];
    const facts = {
      title: 'A/B: 50%?',
      tags: ['x y', 'z'],
      todo: { done: false, dueMs: 1_700_000_000_000 },
      sourceUrl: 'https://example.org/a?b=c',
      author: 'Ada',
      geo: { latitude: -1.5, longitude: 2.25, altitude: 3 },
    };
    const id = 'a'.repeat(32);
    await there.create('N/A∕B: 50%?.md', new TextEncoder().encode('Body'), {
      id,
      facts,
      createdMs: 1e12,
      modifiedMs: 1.1e12,
    });
    await copy(there, back, { frontMatter: 'all' });
    expect(await contents(back)).toEqual({
      'N/A_B_ 50%_.md':
        "---\ntitle: 'A/B: 50%?'\nid: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nupdated: 2004-11-09 11:33:20Z\ncreated: 2001-09-09 01:46:40Z\nsource: https://example.org/a?b=c\nauthor: Ada\nlatitude: -1.50000000\nlongitude: 2.25000000\naltitude: 3.0000\ncompleted?: no\ndue: 2023-11-14 22:13:20Z\ntags:\n  - x y\n  - z\n---\n\nBody",
    });
    await copy(back, again);
    const { entry, bytes } = await again.read('N/A∕B: 50%?.md');
    expect([entry.id, entry.facts, Buffer.from(bytes).toString()]).toEqual([id, facts, 'Body']);
  });

  it('gives titles of one name numbers, and folders without a file a remark', async () => {
    const [there, back] = [ids(), paths()];
    const note = (path: string, id: string, createdMs: number) =>
      there.create(path, new TextEncoder().encode(path), { id, createdMs, modifiedMs: createdMs });
    await note('N/Plan.md', '1'.repeat(32), 1);
    await note(`N/Plan (${'2'.repeat(8)}).md`, '2'.repeat(32), 2);
    const report = await copy(there, back);
    expect(Object.keys(await contents(back))).toEqual(['N/Plan-1.md', 'N/Plan.md']);
    expect(report.differences).toMatchObject([{ what: 'name' }]);
  });

  it('writes nothing in a dry run, and says the same as the copy then does', async () => {
    const [from, there] = [paths({ files: FILES }), ids()];
    const state = fresh();
    const would = await copy(from, there, {
      dryRun: true,
      record: await CopyRecord.open(state, ['x'], true),
    });
    expect((await there.list()).entries).toEqual([]);
    const did = await copy(from, there);
    expect({ ...would, dryRun: false, ms: 0 }).toEqual({ ...did, ms: 0 });
  });

  it('writes over nothing: what is the same is there, what is not is told', async () => {
    const other = { 'Index.md': 'mine', 'Sea/Tide table.md': FILES['Sea/Tide table.md'] };
    const to = paths({ files: other });
    const report = await copy(paths({ files: FILES }), to);
    expect(report.notes).toEqual({ copied: 1, there: 1 });
    expect(report.notCarried).toMatchObject([{ path: 'Index.md', code: 'exists' }]);
    expect((await contents(to))['Index.md']).toBe('mine');
  });

  it('leaves what is no text out of a home of texts, and tells', async () => {
    const from = paths({ files: { ...FILES, 'bad.md': new Uint8Array([0x66, 0xff]) } });
    expect((await copy(from, ids())).notCarried).toMatchObject([{ path: 'bad.md', code: 'not_utf8' }]);
    const to = paths();
    expect((await copy(from, to)).notCarried).toEqual([]);
    expect([...(await to.read('bad.md')).bytes]).toEqual([0x66, 0xff]);
  });

  it('tells of every file that the source cannot serve', async () => {
    const from = paths({ files: FILES });
    const problem = {
      path: 'Locked.md',
      code: 'unreadable' as const,
      message: 'Joplin has not decrypted this note.',
    };
    const list: Store['list'] = async (...given) => ({ ...(await from.list(...given)), problems: [problem] });
    const report = await copy({ ...from, list }, ids());
    expect(report.notCarried).toEqual([{ path: 'Locked.md', code: 'unreadable', reason: problem.message }]);
  });

  it('keeps the path rules of both ends, and is silent about what they hide', async () => {
    const [from, to] = [paths({ files: FILES }), ids()];
    const record = await CopyRecord.open(fresh(), ['rules'], false);
    const report = await copyVault({
      ...OPTIONS,
      record,
      from: {
        store: from,
        folder: '',
        name: 'n',
        mayRead: (path) => path !== 'Sea/Harbour.md',
        mayWrite: () => true,
      },
      to: {
        store: to,
        folder: '',
        name: 'n',
        mayRead: () => true,
        mayWrite: (path) => !path.endsWith('.png'),
      },
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    await record.close();
    expect(Object.keys(await contents(to))).toEqual(['Index.md', 'Sea/Tide table.md']);
    expect(report.notCarried).toMatchObject([{ path: 'Sea/crane.png', code: 'forbidden' }]);
    expect(JSON.stringify(report.notCarried)).not.toContain('Harbour');
  });
});

describe('a copy that is interrupted', () => {
  /** A store that becomes unreachable at its nth `create`, before or after the file was made. */
  function leaving(store: Store, at: number, when: 'before' | 'after'): Store {
    let count = 0;
    return {
      ...store,
      async create(path, bytes, origin) {
        const mine = ++count;
        if (mine > at || (mine === at && when === 'before')) throw new Away('Gone.', { next: 'Wait.' });
        const entry = await store.create(path, bytes, origin);
        if (mine === at) throw new Away('Gone.', { next: 'Wait.' });
        return entry;
      },
    };
  }
  const places = [1, 2, 3, 4].flatMap((at) =>
    (['before', 'after'] as const).map((when) => [at, when] as const),
  );

  it.each(places)('at file %i, %s it was made, goes on without a duplicate', async (at, when) => {
    const whole = ids();
    await copy(paths({ files: FILES }), whole, { toFolder: 'Notes' });
    const [from, to] = [paths({ files: FILES }), ids()];
    const state = fresh();
    const run = async (store: Store) =>
      copy(from, store, { toFolder: 'Notes', record: await CopyRecord.open(state, ['x'], false) });
    await expect(run(leaving(to, at, when))).rejects.toMatchObject({
      code: 'unavailable',
      next: expect.stringContaining('same command'),
    });
    const { notes, attachments } = await run(to);
    expect(notes.copied + notes.there + attachments.copied + attachments.there).toBe(4);
    const bare = async (store: Store) =>
      JSON.stringify(await contents(store)).replace(/:\/[0-9a-f]{32}/g, ':/');
    expect(await bare(to)).toBe(await bare(whole));
    const back = paths();
    await copy(to, back, { fromFolder: 'Notes' });
    expect(await contents(back)).toEqual(FILES);
    const again = await run(to);
    expect([again.notes, again.attachments]).toEqual([
      { copied: 0, there: 3 },
      { copied: 0, there: 1 },
    ]);
  });

  it('tells what changed in the source since, and leaves the copy as it is', async () => {
    const [from, to] = [paths({ files: FILES }), paths()];
    const state = fresh();
    const run = async () => copy(from, to, { record: await CopyRecord.open(state, ['x'], false) });
    await run();
    const changed = await from.read('Index.md');
    await from.replace('Index.md', new TextEncoder().encode('new'), { expectedEtag: etagOfFile(changed) });
    await from.create('New.md', new TextEncoder().encode('more'));
    const report = await run();
    expect(report.notes).toEqual({ copied: 1, there: 3 });
    expect(report.differences).toMatchObject([{ path: 'Index.md', what: 'text' }]);
    expect((await contents(to))['Index.md']).toBe(FILES['Index.md']);
  });

  it('lets nobody else copy between the same places meanwhile, and does without a line that was cut off', async () => {
    const state = fresh();
    const record = await CopyRecord.open(state, ['x'], false);
    await expect(CopyRecord.open(state, ['x'], false)).rejects.toMatchObject({ code: 'conflict' });
    await record.intend(new Map([['a', { path: 'a.md' }]]));
    await record.close();
    const [name = ''] = (await import('node:fs'))
      .readdirSync(join(state, 'copies'))
      .filter((one) => one.endsWith('.jsonl'));
    const file = join(state, 'copies', name);
    (await import('node:fs')).writeFileSync(file, `${readFileSync(file, 'utf8')}{"key":"b","int`);
    const again = await CopyRecord.open(state, ['x'], false);
    expect([...again.intents]).toEqual([['a', { path: 'a.md' }]]);
    await again.intend(new Map([['c', { path: 'c.md' }]]));
    await again.close();
    const last = await CopyRecord.open(state, ['x'], true);
    expect([...last.intents.keys()]).toEqual(['a', 'c']);
  });
});
