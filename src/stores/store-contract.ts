import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { etagOf } from '../notes/etag.ts';
import { etagOfFile } from './etag-of-file.ts';
import type { Store, StoreChange } from './store.ts';

export interface ContractHarness {
  readonly store: Store;
  /** Another program that writes the same files. */
  readonly outside: Pick<Store, 'create' | 'replace' | 'move' | 'trash'>;
  dispose(): Promise<void>;
}

export interface ContractOptions {
  /**
   * What this kind of store does not support: notes that are not text, settings of other programs, names
   * without an extension, setting times.
   */
  readonly without?: readonly ('bytes' | 'settings' | 'bare names' | 'times')[];
  /** Opens a harness over these files. */
  open(files: Record<string, string | Uint8Array>, options?: { maxBytes?: number }): Promise<ContractHarness>;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);
const code = (expected: string) => expect.objectContaining({ name: 'LecternError', code: expected });

const NFC = 'Caf\u00e9.md';
const NFD = 'Cafe\u0301.md';
/** Paths that no store may read or write. */
const FORBIDDEN_PATHS = [
  '',
  '.',
  '..',
  '../outside.md',
  'a/../../outside.md',
  'a/./b.md',
  'a//b.md',
  'a/',
  'C:/Windows/win.ini',
  'c:/x.md',
  'nul\0byte.md',
  '.obsidian/app.json',
  'a/.git/config',
  '.trash/old.md',
  '\u200b.git/config',
  'half\ud800.md',
  `${'x'.repeat(300)}.md`,
  `${'語'.repeat(100)}.md`,
];

/** The changes a store reports by itself, or on request. */
async function following(
  store: Store,
  listener: (changes: readonly StoreChange[]) => void,
): Promise<() => Promise<void>> {
  if (store.capabilities.watch) return store.watch(listener);
  let cursor = (await store.changesSince?.(undefined))?.cursor;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const found = await store.changesSince?.(cursor);
      if (found !== undefined && !isOver) listener(found.changes);
      cursor = found?.cursor ?? cursor;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return () => {
    isOver = true;
    return asking;
  };
}

/** The contract of every store; each adapter's tests run it. */
export function describeStoreContract(name: string, { open, without = [] }: ContractOptions): void {
  describe(`${name} keeps the store contract`, () => {
    let harness: ContractHarness;
    let store: Store;
    const begin = async (files: Record<string, string | Uint8Array>, options?: { maxBytes?: number }) => {
      await harness?.dispose();
      harness = await open(files, options);
      store = harness.store;
    };
    beforeEach(() => begin({ 'a.md': 'A', 'dir/b.md': 'B', 'dir/deep/p.png': 'png', 'x.canvas': '{}' }));
    afterEach(() => harness.dispose());

    const paths = async (prefix?: string) =>
      (await store.list(prefix)).entries.map((entry) => entry.path).sort();
    const etagAt = async (path: string) => etagOfFile(await store.read(path));
    const contentOf = async (path: string) => text((await store.read(path)).bytes);

    describe('list', () => {
      test('has every visible file with its kind and size', async () => {
        await begin({ 'a.md': 'four', 'b/c.base': '', '.obsidian/app.json': '{}', 'b/.hidden/x.md': 'x' });
        const { entries, problems } = await store.list();
        expect(problems).toEqual([]);
        expect(entries.map(({ path, kind, size }) => [path, kind, size]).sort()).toEqual([
          ['a.md', 'note', 4],
          ['b/c.base', 'base', 0],
        ]);
      });
      test('takes a folder, not a prefix of a name', async () => {
        await begin({ 'dir/a.md': '', 'dir2/b.md': '', 'dir/x/c.md': '' });
        expect(await paths('dir')).toEqual(['dir/a.md', 'dir/x/c.md']);
        expect(await paths('absent')).toEqual([]);
      });
      test('stops when told', async () => {
        await expect(store.list('', AbortSignal.abort())).rejects.toThrow();
      });
      test('gives a new version to a changed file and keeps the version of others', async () => {
        const before = new Map((await store.list()).entries.map((entry) => [entry.path, entry.version]));
        await store.replace('a.md', bytes('A2'), { expectedEtag: await etagAt('a.md') });
        const after = new Map((await store.list()).entries.map((entry) => [entry.path, entry.version]));
        expect(after.get('a.md')).not.toBe(before.get('a.md'));
        expect(after.get('dir/b.md')).toBe(before.get('dir/b.md'));
      });
    });

    describe('stat and read', () => {
      test('answer the same entry as list', async () => {
        const listed = (await store.list()).entries.find((entry) => entry.path === 'dir/b.md');
        expect(await store.stat('dir/b.md')).toEqual(listed);
        const file = await store.read('dir/b.md');
        expect(file.entry).toEqual(listed);
        expect(text(file.bytes)).toBe('B');
      });
      test('keep bytes as they are', async () => {
        // A byte order mark, line endings of all kinds, a NUL; and bytes that are not UTF-8.
        const odd = Uint8Array.from([
          0xef,
          0xbb,
          0xbf,
          0x0d,
          0x0a,
          0x00,
          0x0d,
          ...(without.includes('bytes') ? [] : [0xff]),
        ]);
        await begin({ 'odd.md': odd, 'empty.md': '' });
        expect((await store.read('odd.md')).bytes).toEqual(odd);
        expect((await store.read('empty.md')).bytes).toEqual(new Uint8Array());
      });
      test.each([
        [NFD, NFC],
        [NFC, NFD],
      ])('find the spelling on disk %j by %j', async (onDisk, asked) => {
        await begin({ [`fo\u0308/${onDisk}`]: 'x' });
        const path = `fo\u0308/${onDisk}`;
        expect((await store.stat(`f\u00f6/${asked}`))?.path).toBe(path);
        expect((await store.read(`f\u00f6/${asked}`)).entry.path).toBe(path);
      });
      test('take paths literally', async () => {
        await begin({ '100%.md': 'p', 'q?x#y.md': 'q', 'a%2Fb.md': 'l', 'a/b.md': 'n' });
        expect(await contentOf('100%.md')).toBe('p');
        expect(await contentOf('q?x#y.md')).toBe('q');
        expect(await contentOf('a%2Fb.md')).toBe('l');
        expect(await contentOf('a/b.md')).toBe('n');
      });
      test('tell absence from other failures', async () => {
        expect(await store.stat('absent.md')).toBeUndefined();
        expect(await store.stat('absent/x.md')).toBeUndefined();
        expect(await store.stat('a.md/x.md')).toBeUndefined();
        expect(await store.stat('dir')).toBeUndefined();
        await expect(store.read('absent.md')).rejects.toEqual(code('not_found'));
        await expect(store.read('dir')).rejects.toEqual(code('invalid_path'));
      });
      test('refuse what is larger than the limit', async () => {
        await begin({ 'big.md': 'x'.repeat(11) }, { maxBytes: 10 });
        await expect(store.read('big.md')).rejects.toEqual(code('too_large'));
        await expect(store.create('new.md', bytes('x'.repeat(11)))).rejects.toEqual(code('too_large'));
        expect(await store.stat('new.md')).toBeUndefined();
      });
      test.skipIf(without.includes('settings'))('read settings and nothing else hidden', async () => {
        await begin({ '.obsidian/app.json': '{"a":1}' });
        expect(await store.topNames()).toContain('.obsidian');
        expect(text((await store.readSetting('.obsidian/app.json')) ?? bytes('none'))).toBe('{"a":1}');
        expect(await store.readSetting('.obsidian/types.json')).toBeUndefined();
      });
    });

    describe('create', () => {
      test('makes parents and answers the entry', async () => {
        const entry = await store.create('new/deep/n.md', bytes('N'));
        expect(entry).toEqual(await store.stat('new/deep/n.md'));
        expect(await contentOf('new/deep/n.md')).toBe('N');
      });
      test('never clobbers', async () => {
        await expect(store.create('a.md', bytes('new'))).rejects.toEqual(code('exists'));
        await expect(store.create('dir', bytes('new'))).rejects.toEqual(code('exists'));
        expect(await contentOf('a.md')).toBe('A');
      });
      test('takes another spelling of a name for the same name', async () => {
        await begin({ [NFD]: 'x' });
        await expect(store.create(NFC, bytes('y'))).rejects.toEqual(code('exists'));
        expect(await paths()).toEqual([NFD]);
      });
      test('takes over what a file brings along, as far as this store keeps it', async () => {
        const { ids, facts } = store.capabilities;
        const id = randomUUID().replaceAll('-', '');
        const kept = { tags: ['one', 'two'], todo: { done: true, dueMs: 1_700_000_000_000 }, author: 'Ada' };
        const createdMs = 1_500_000_000_000;
        const modifiedMs = 1_600_000_000_000;
        const origin = { id, facts: kept, createdMs, modifiedMs };
        const entry = await store.create('dir/brought.md', bytes('N'), origin);
        const { entry: read } = await store.read('dir/brought.md');
        expect([read.id, read.facts]).toEqual([ids ? id : undefined, facts ? kept : undefined]);
        if (!without.includes('times')) expect(read.mtimeMs).toBe(modifiedMs);
        expect(entry).toEqual(await store.stat('dir/brought.md'));
      });
      test('does not turn a file into a folder', async () => {
        await expect(store.create('a.md/x.md', bytes('x'))).rejects.toEqual(code('invalid_path'));
      });
      test('lets exactly one of many win', async () => {
        const all = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => store.create('race.md', bytes(`${i}`))),
        );
        const won = all.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
        expect(won).toHaveLength(1);
        expect(await contentOf('race.md')).toBe(`${won[0]}`);
      });
      test('keeps names with dots, quotes, emoji and CJK', async () => {
        const bare = without.includes('bare names') ? [] : ['no extension'];
        for (const path of ['v1.2 x.md', "it's.md", '🎉 日本語/メモ.md', '[[x]] #y.md', ...bare]) {
          await store.create(path, bytes(path));
          expect(await contentOf(path)).toBe(path);
        }
      });
    });

    describe('replace', () => {
      test('swaps the bytes of the version that was read', async () => {
        const entry = await store.replace('a.md', bytes('A2'), { expectedEtag: await etagAt('a.md') });
        expect(entry).toEqual(await store.stat('a.md'));
        expect(await contentOf('a.md')).toBe('A2');
      });
      test('refuses another version and changes nothing', async () => {
        const stale = store.replace('a.md', bytes('mine'), { expectedEtag: etagOf(bytes('older')) });
        await expect(stale).rejects.toEqual(code('conflict'));
        const error = await stale.catch((e: unknown) => e);
        expect(JSON.stringify(error)).not.toContain(etagOf(bytes('A')));
        expect(await contentOf('a.md')).toBe('A');
      });
      test('lets one of many writers of the same version win', async () => {
        const expectedEtag = await etagAt('a.md');
        const all = await Promise.allSettled(
          Array.from({ length: 20 }, (_, i) => store.replace('a.md', bytes(`v${i}`), { expectedEtag })),
        );
        const won = all.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
        expect(won).toHaveLength(1);
        expect(await contentOf('a.md')).toBe(`v${won[0]}`);
        for (const result of all) {
          if (result.status === 'rejected') expect(result.reason).toEqual(code('conflict'));
        }
        expect(await paths()).toEqual(['a.md', 'dir/b.md', 'dir/deep/p.png', 'x.canvas']);
      });
      test('needs an existing file', async () => {
        const options = { expectedEtag: await etagAt('a.md') };
        await expect(store.replace('absent.md', bytes('x'), options)).rejects.toEqual(code('not_found'));
        await expect(store.replace('dir', bytes('x'), options)).rejects.toEqual(code('invalid_path'));
      });
      test('writes to the spelling on disk', async () => {
        await begin({ [NFD]: 'x' });
        const entry = await store.replace(NFC, bytes('y'), { expectedEtag: await etagAt(NFC) });
        expect(entry.path).toBe(NFD);
        expect(await paths()).toEqual([NFD]);
      });
    });

    describe('move', () => {
      test('renames across folders that it makes', async () => {
        const entry = await store.move('a.md', 'new/place/z.md');
        expect(entry.path).toBe('new/place/z.md');
        expect(await contentOf('new/place/z.md')).toBe('A');
        expect(await store.stat('a.md')).toBeUndefined();
      });
      test('never clobbers', async () => {
        await expect(store.move('a.md', 'dir/b.md')).rejects.toEqual(code('exists'));
        expect(await contentOf('a.md')).toBe('A');
        expect(await contentOf('dir/b.md')).toBe('B');
      });
      test('changes case or Unicode form alone', async () => {
        expect((await store.move('a.md', 'A.md')).path).toBe('A.md');
        expect(await paths()).toEqual(['A.md', 'dir/b.md', 'dir/deep/p.png', 'x.canvas']);
        expect(await contentOf('A.md')).toBe('A');
      });
      test('to its own name changes nothing', async () => {
        expect((await store.move('a.md', 'a.md')).path).toBe('a.md');
        expect(await contentOf('a.md')).toBe('A');
      });
      test('needs an existing file', async () => {
        await expect(store.move('absent.md', 'x.md')).rejects.toEqual(code('not_found'));
        await expect(store.move('dir', 'x')).rejects.toEqual(code('invalid_path'));
        await expect(store.move('a.md', 'dir/b.md/x.md')).rejects.toEqual(code('invalid_path'));
        expect(await contentOf('a.md')).toBe('A');
      });
      test('lets exactly one of many win', async () => {
        const files = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}.md`, `${i}`]));
        await begin(files);
        const all = await Promise.allSettled(Object.keys(files).map((path) => store.move(path, 'to.md')));
        expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await paths()).toHaveLength(10);
      });
    });

    describe('moveFolder', () => {
      test('takes everything along, hidden files too, into parents that it makes', async () => {
        await begin({ 'a/b/n.md': 'N', 'a/b/deep/m.md': 'M', 'a/x.md': 'X' });
        await store.moveFolder('a/b', 'new/place');
        expect(await paths()).toEqual(['a/x.md', 'new/place/deep/m.md', 'new/place/n.md']);
        expect(await contentOf('new/place/deep/m.md')).toBe('M');
      });
      test('changes case alone', async () => {
        await store.moveFolder('dir', 'Dir');
        expect(await paths('Dir')).toEqual(['Dir/b.md', 'Dir/deep/p.png']);
      });
      test('never clobbers, and moves folders only', async () => {
        await begin({ 'a/n.md': 'N', 'taken/m.md': 'M', 'file.md': 'F' });
        await expect(store.moveFolder('a', 'taken')).rejects.toEqual(code('exists'));
        await expect(store.moveFolder('a', 'file.md')).rejects.toEqual(code('exists'));
        await expect(store.moveFolder('a', 'a/inside')).rejects.toEqual(code('invalid_path'));
        await expect(store.moveFolder('absent', 'x')).rejects.toEqual(code('not_found'));
        await expect(store.moveFolder('file.md', 'x')).rejects.toEqual(code('forbidden'));
        expect(await paths()).toEqual(['a/n.md', 'file.md', 'taken/m.md']);
      });
    });

    describe('folders whose names differ in case or Unicode form only', () => {
      test('are one folder for everything that makes folders', async () => {
        await store.create('DIR/new.md', bytes('N'));
        expect((await store.create('Dir/DEEP/new/n.md', bytes('N'))).path).toBe('dir/deep/new/n.md');
        expect((await store.move('a.md', 'dIR/a.md')).path).toBe('dir/a.md');
        const { trashPath = '' } = await store.trash('dir/b.md');
        expect((await store.restore(trashPath, 'DIR/b.md')).path).toBe('dir/b.md');
        expect(await paths()).toEqual([
          'dir/a.md',
          'dir/b.md',
          'dir/deep/new/n.md',
          'dir/deep/p.png',
          'dir/new.md',
          'x.canvas',
        ]);
        await begin({ 'a/n.md': 'N', 'dir/b.md': 'B' });
        await store.moveFolder('a', 'DIR/a');
        expect(await paths()).toEqual(['dir/a/n.md', 'dir/b.md']);
        await begin({ 'fo\u0308/b.md': 'B' });
        await store.create('f\u00f6/n.md', bytes('N'));
        await store.create('F\u00d6/m.md', bytes('M'));
        expect(await paths()).toEqual(['fo\u0308/b.md', 'fo\u0308/m.md', 'fo\u0308/n.md']);
      });
      test('are told before anything is made, with the topmost folder that would be', async () => {
        await begin({ 'dir/b.md': 'B', 'fo\u0308/b.md': 'B', 'file.txt': '' });
        expect(await store.placeFor('DIR/n.md')).toEqual({ path: 'dir/n.md', madeFolder: undefined });
        expect(await store.placeFor('dir/b.md')).toEqual({ path: 'dir/b.md', madeFolder: undefined });
        expect(await store.placeFor('Dir/X/Y/n.md')).toEqual({ path: 'dir/X/Y/n.md', madeFolder: 'dir/X' });
        expect(await store.placeFor('f\u00f6/n.md')).toEqual({
          path: 'fo\u0308/n.md',
          madeFolder: undefined,
        });
        expect(await store.placeFor('n.md')).toEqual({ path: 'n.md', madeFolder: undefined });
        expect(await paths()).toEqual(['dir/b.md', 'file.txt', 'fo\u0308/b.md']);
        await expect(store.create('FILE.txt/n.md', bytes('N'))).rejects.toEqual(code('invalid_path'));
      });
      test('leave a name that several answer to to the caller', async () => {
        await begin({ 'dir/b.md': 'B', 'DIR/c.md': 'C' });
        expect(await store.placeFor('DIR/n.md')).toEqual({ path: 'DIR/n.md', madeFolder: undefined });
        await expect(store.placeFor('Dir/n.md')).rejects.toEqual(code('ambiguous'));
        await expect(store.create('Dir/n.md', bytes('N'))).rejects.toEqual(code('ambiguous'));
        expect(await paths()).toEqual(['DIR/c.md', 'dir/b.md']);
      });
      test('hold a folder back that would come to lie beside another', async () => {
        await begin({ 'a/n.md': 'N', 'dir/b.md': 'B' });
        await expect(store.moveFolder('a', 'DIR')).rejects.toEqual(code('exists'));
        expect(await paths()).toEqual(['a/n.md', 'dir/b.md']);
      });
    });

    describe('remove', () => {
      test('takes away the version that was read, and no other', async () => {
        await expect(store.remove('a.md', { expectedEtag: etagOf(bytes('other')) })).rejects.toEqual(
          code('conflict'),
        );
        expect(await contentOf('a.md')).toBe('A');
        const expectedEtag = await etagAt('a.md');
        await store.remove('a.md', { expectedEtag });
        expect(await store.stat('a.md')).toBeUndefined();
        expect(await store.listTrash()).toEqual([]);
        await expect(store.remove('a.md', { expectedEtag })).rejects.toEqual(code('not_found'));
      });
    });

    describe('trash', () => {
      test('takes a file away and brings it back', async () => {
        const { trashPath = '' } = await store.trash('dir/b.md');
        expect(await store.stat('dir/b.md')).toBeUndefined();
        expect(await paths()).toEqual(['a.md', 'dir/deep/p.png', 'x.canvas']);
        const listed = await store.listTrash();
        expect(listed.map((item) => [item.trashPath, item.size])).toEqual([[trashPath, 1]]);
        expect((await store.restore(trashPath, 'back/b.md')).path).toBe('back/b.md');
        expect(await contentOf('back/b.md')).toBe('B');
        expect(await store.listTrash()).toEqual([]);
      });
      test('tells equal names apart', async () => {
        await begin({ 'n.md': '1', 'x/n.md': '2', 'y/n.md': '3' });
        const where = [];
        for (const path of ['n.md', 'x/n.md', 'y/n.md'])
          where.push((await store.trash(path)).trashPath ?? '');
        expect(new Set(where).size).toBe(3);
        await store.restore(where[1] ?? '', 'n.md');
        expect(await contentOf('n.md')).toBe('2');
      });
      test('restores without clobbering, and only from the trash', async () => {
        const { trashPath = '' } = await store.trash('a.md');
        await expect(store.restore(trashPath, 'dir/b.md')).rejects.toEqual(code('exists'));
        await expect(store.restore(`${trashPath}x`, 'n.md')).rejects.toEqual(code('not_found'));
        for (const bad of ['dir/b.md', '.trash/../dir/b.md', '.obsidian/app.json', '.trash/', '.trash']) {
          await expect(store.restore(bad, 'n.md')).rejects.toEqual(code('invalid_path'));
        }
        expect(await contentOf('dir/b.md')).toBe('B');
      });
      test('needs an existing file', async () => {
        await expect(store.trash('absent.md')).rejects.toEqual(code('not_found'));
        await expect(store.trash('dir')).rejects.toEqual(code('invalid_path'));
        expect(await store.listTrash()).toEqual([]);
      });
    });

    test.each(FORBIDDEN_PATHS)('refuses the path %j everywhere', async (path) => {
      const invalid = code('invalid_path');
      await expect(store.stat(path)).rejects.toEqual(invalid);
      await expect(store.read(path)).rejects.toEqual(invalid);
      await expect(store.create(path, bytes('x'))).rejects.toEqual(invalid);
      await expect(store.replace(path, bytes('x'), { expectedEtag: '0' })).rejects.toEqual(invalid);
      await expect(store.move(path, 'x.md')).rejects.toEqual(invalid);
      await expect(store.move('a.md', path)).rejects.toEqual(invalid);
      await expect(store.moveFolder(path, 'x')).rejects.toEqual(invalid);
      await expect(store.moveFolder('dir', path)).rejects.toEqual(invalid);
      await expect(store.placeFor(path)).rejects.toEqual(invalid);
      await expect(store.trash(path)).rejects.toEqual(invalid);
      await expect(store.restore('.trash/none.md', path)).rejects.toEqual(invalid);
      expect(await paths()).toEqual(['a.md', 'dir/b.md', 'dir/deep/p.png', 'x.canvas']);
    });

    describe('facts beside the text', () => {
      test('are a part of the version, and survive what happens to the text and the place', async () => {
        if (store.setFacts === undefined) {
          expect((await store.read('a.md')).entry.facts).toBeUndefined();
          return;
        }
        const before = await etagAt('a.md');
        const { id } = (await store.read('a.md')).entry;
        await store.setFacts('a.md', { tags: ['x'], todo: { done: false } }, { expectedEtag: before });
        const after = await etagAt('a.md');
        expect(after).not.toBe(before);
        const stale = store.setFacts('a.md', { title: 'T' }, { expectedEtag: before });
        await expect(stale).rejects.toEqual(code('conflict'));
        await expect(store.replace('a.md', bytes('B'), { expectedEtag: before })).rejects.toEqual(
          code('conflict'),
        );
        await store.replace('a.md', bytes('B'), { expectedEtag: after });
        await store.move('a.md', 'dir/moved.md');
        await store.setFacts('dir/moved.md', { tags: null }, { expectedEtag: await etagAt('dir/moved.md') });
        const { entry } = await store.read('dir/moved.md');
        expect([entry.facts, entry.id]).toEqual([{ todo: { done: false } }, id]);
      });
    });

    describe('changes since a cursor', () => {
      test('are each told once, and an unknown cursor asks for a whole look', async () => {
        if (store.changesSince === undefined) return;
        const begun = await store.changesSince(undefined);
        await store.create('made.md', bytes('1'));
        const first = await store.changesSince(begun?.cursor);
        expect(first?.changes).toEqual([{ kind: 'changed', path: 'made.md' }]);
        expect((await store.changesSince(first?.cursor))?.changes).toEqual([]);
        expect(await store.changesSince('no cursor of this store')).toBeUndefined();
      });
    });

    describe('watch', () => {
      test('reports what another program does, until stopped', async () => {
        const seen: StoreChange[] = [];
        const stop = await following(store, (changes) => seen.push(...changes));
        const has = (kind: string, path: string) =>
          expect
            .poll(() => seen.some((change) => change.kind === kind && change.path === path), {
              timeout: 5000,
            })
            .toBe(true);
        await harness.outside.create('made.md', bytes('1'));
        await has('changed', 'made.md');
        seen.length = 0;
        await harness.outside.replace('a.md', bytes('A2'), { expectedEtag: await etagAt('a.md') });
        await has('changed', 'a.md');
        seen.length = 0;
        await harness.outside.move('a.md', 'moved.md');
        await has('removed', 'a.md');
        await has('changed', 'moved.md');
        await harness.outside.trash('dir/b.md');
        await has('removed', 'dir/b.md');
        expect(seen.filter(({ path }) => path.split('/').some((part) => part.startsWith('.')))).toEqual([]);
        await stop();
        seen.length = 0;
        // Another listener shows when the change has been reported.
        const later: StoreChange[] = [];
        const stopLater = await following(store, (changes) => later.push(...changes));
        await harness.outside.create('later.md', bytes('x'));
        await expect.poll(() => later.some(({ path }) => path === 'later.md'), { timeout: 5000 }).toBe(true);
        expect(seen).toEqual([]);
        await stopLater();
      });
    });
  });
}
