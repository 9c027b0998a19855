import { unlinkSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { etagOf } from '../../../notes/etag.ts';
import type { Store, StoreChange } from '../../store.ts';
import { Containment } from '../contain/contain.ts';
import { Drive } from '../contain/drive.ts';
import { encode, scratchVault } from '../scratch-vault.ts';
import { pollFolder } from './poll.ts';
import { watchFolder } from './watch.ts';
import { WatchTurn } from './watch-turn.ts';

async function record(store: Store): Promise<StoreChange[]> {
  const seen: StoreChange[] = [];
  const stop = await store.watch((changes) => seen.push(...changes));
  onTestFinished(stop);
  return seen;
}

const eventually = (check: () => boolean) => expect.poll(check, { timeout: 25_000, interval: 20 }).toBe(true);
const isRescan = ({ kind, path }: StoreChange) => kind === 'rescan' && path === '';
const covers = (seen: readonly StoreChange[], path: string) =>
  seen.some(
    (change) =>
      change.path === path ||
      (change.kind === 'rescan' && (change.path === '' || path.startsWith(`${change.path}/`))),
  );

/** Waits until a change made now is reported: what was to be reported of those before it has been. */
async function settled(root: string, seen: readonly StoreChange[]): Promise<void> {
  await fs.writeFile(join(root, MARKER), 'x');
  await eventually(() => covers(seen, MARKER));
}

const MARKER = 'marker.md';
const withoutMarker = (seen: readonly StoreChange[]) => seen.filter(({ path }) => path !== MARKER);

test('a save by rename is one change, whatever the temporary file was called', async () => {
  const { root, store } = await scratchVault({ 'n.md': '1' });
  const seen = await record(store);
  await fs.writeFile(join(root, '.n.md.swp'), '2');
  await fs.rename(join(root, '.n.md.swp'), join(root, 'n.md'));
  await settled(root, seen);
  expect(withoutMarker(seen)).toEqual([{ kind: 'changed', path: 'n.md' }]);
});

test("the store's own writes are reported under the notes' names only", async () => {
  const { root, store } = await scratchVault({ 'n.md': '0' });
  const seen = await record(store);
  for (let i = 1; i <= 10; i++) {
    await store.replace('n.md', encode(`${i}`), { expectedEtag: etagOf(encode(`${i - 1}`)) });
  }
  await store.create('m.md', encode('m'));
  await eventually(() => covers(seen, 'n.md') && covers(seen, 'm.md'));
  await settled(root, seen);
  // While a note is swapped its name is free for a moment, and a look just then reports it as removed.
  const last = new Map(withoutMarker(seen).map(({ kind, path }) => [path, kind]));
  expect(Object.fromEntries(last)).toEqual({ 'n.md': 'changed', 'm.md': 'changed' });
});

test('a moved folder is listed again at both ends, and watched to its depths', async () => {
  const { root, outside, store } = await scratchVault({ 'a/sub/deep/n.md': '1' });
  const seen = await record(store);
  await fs.rename(join(root, 'a'), join(root, 'b'));
  await eventually(() => covers(seen, 'b/sub/deep/n.md') && covers(seen, 'a/sub/deep/n.md'));
  expect(seen).toContainEqual({ kind: 'rescan', path: 'a' });
  expect(seen).toContainEqual({ kind: 'rescan', path: 'b' });
  seen.length = 0;
  await fs.writeFile(join(root, 'b/sub/deep/n.md'), '2');
  await eventually(() => seen.some(({ kind, path }) => kind === 'changed' && path === 'b/sub/deep/n.md'));
  await fs.mkdir(join(outside, 'in/s1/s2'), { recursive: true });
  await fs.rename(join(outside, 'in'), join(root, 'in'));
  await eventually(() => covers(seen, 'in/s1/s2'));
  seen.length = 0;
  await fs.writeFile(join(root, 'in/s1/s2/x.md'), 'x');
  await eventually(() => seen.some(({ kind, path }) => kind === 'changed' && path === 'in/s1/s2/x.md'));
});

test('of a burst no change is missing', async () => {
  const { root, store } = await scratchVault({ 'a.md': '', 'dir/b.md': '' });
  const seen = await record(store);
  const paths = Array.from({ length: 4000 }, (_, i) => `${i % 2 ? 'dir/' : ''}${i}.md`);
  for (const path of paths) writeFileSync(join(root, path), 'x');
  await eventually(() => paths.every((path) => covers(seen, path)));
  seen.length = 0;
  for (const path of paths) unlinkSync(join(root, path));
  await eventually(() => paths.every((path) => covers(seen, path)));
});

test('a burst ends with a rescan', async () => {
  const { root, store } = await scratchVault({ 'a.md': '' });
  const seen = await record(store);
  for (let i = 0; i < 200; i++) writeFileSync(join(root, `${i}.md`), 'y');
  await eventually(() => seen.some(isRescan));
});

test('links and hidden names are no notes', async () => {
  const { root, outside, store } = await scratchVault({ 'n.md': '1', '.obsidian/app.json': '{}' });
  const seen = await record(store);
  await fs.symlink(join(outside, 'secret.md'), join(root, 'link.md'));
  await fs.symlink(outside, join(root, 'folder'));
  await fs.writeFile(join(root, '.obsidian/app.json'), '{"a":1}');
  await fs.writeFile(join(outside, 'secret.md'), 'changed');
  await fs.writeFile(join(root, 'n.md'), '2');
  await eventually(() => covers(seen, 'n.md'));
  await settled(root, seen);
  expect(withoutMarker(seen).filter(({ kind }) => kind !== 'removed')).toEqual([
    { kind: 'changed', path: 'n.md' },
  ]);
});

test.runIf(process.platform === 'linux')('hidden folders take no watches, early or late', async () => {
  const { root, store } = await scratchVault({
    'sub/n.md': '1',
    '.git/objects/1': '',
    'sub/.hidden/deep/1': '',
  });
  const seen = await record(store);
  await fs.mkdir(join(root, '.late'));
  await fs.mkdir(join(root, 'sub/.late'));
  await fs.mkdir(join(root, 'new'));
  await eventually(() => covers(seen, 'new'));
  const watched = await watchedInodes();
  const isWatched = async (path: string) => watched.has((await fs.stat(join(root, path))).ino);
  for (const path of ['', 'sub', 'new']) expect([path, await isWatched(path)]).toEqual([path, true]);
  for (const path of ['.git', '.git/objects', 'sub/.hidden', 'sub/.hidden/deep', '.late', 'sub/.late']) {
    expect([path, await isWatched(path)]).toEqual([path, false]);
  }
});

async function watchedInodes(): Promise<ReadonlySet<number>> {
  const inodes = new Set<number>();
  for (const fd of await fs.readdir('/proc/self/fdinfo')) {
    const facts = await fs.readFile(`/proc/self/fdinfo/${fd}`, 'utf8').catch(() => '');
    for (const [, inode] of facts.matchAll(/^inotify wd:\S+ ino:([0-9a-f]+)/gm)) {
      inodes.add(Number.parseInt(inode ?? '', 16));
    }
  }
  return inodes;
}

test('a deleted vault is said once, and watched again when it is back', async () => {
  const { root, store } = await scratchVault({ 'n.md': '1' });
  const seen = await record(store);
  const rescans = () => seen.filter(isRescan).length;
  await fs.rm(root, { recursive: true });
  await eventually(() => rescans() === 1);
  await fs.mkdir(root);
  await eventually(() => rescans() === 2);
  await fs.writeFile(join(root, 'n.md'), '2');
  await eventually(() => seen.some(({ kind, path }) => kind === 'changed' && path === 'n.md'));
  expect(rescans()).toBe(2);
});

test('polling reports the same changes', async () => {
  const { root, store } = await scratchVault({ 'a.md': '1', 'b.md': '1' });
  const seen: StoreChange[] = [];
  let looks = 0;
  const list = () => {
    looks++;
    return store.list();
  };
  const stop = await pollFolder({ list, intervalMs: 20 }, (changes) => seen.push(...changes));
  onTestFinished(stop);
  // By rename, so that no listing sees a file that is made but not yet written.
  const place = async (path: string, text: string) => {
    await fs.writeFile(join(root, '.new'), text);
    await fs.rename(join(root, '.new'), join(root, path));
  };
  await place('a.md', '2');
  await fs.rm(join(root, 'b.md'));
  await place('c.md', '1');
  await eventually(() => seen.length >= 3);
  expect(seen.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
    'changed a.md',
    'changed c.md',
    'removed b.md',
  ]);
  seen.length = 0;
  await fs.rename(root, `${root}-away`);
  await eventually(() => seen.length > 0);
  const before = looks;
  await eventually(() => looks > before + 3);
  expect(seen).toEqual([{ kind: 'rescan', path: '' }]);
  seen.length = 0;
  await fs.rename(`${root}-away`, root);
  await eventually(() => seen.length > 0);
  expect(seen).toEqual([{ kind: 'rescan', path: '' }]);
});

test('a system that cannot watch is polled', async () => {
  vi.doMock('@parcel/watcher', () => ({
    subscribe: async () => {
      throw new Error('inotify_add_watch failed: No space left on device');
    },
  }));
  onTestFinished(() => void vi.doUnmock('@parcel/watcher'));
  const { root, store } = await scratchVault({ 'a.md': '1' });
  const wall = new Containment(await fs.realpath(root), await Drive.at(root));
  const seen: StoreChange[] = [];
  const stop = await watchFolder(
    {
      wall,
      ignore: undefined,
      folders: new Set(),
      list: () => store.list(),
      turn: WatchTurn.ofProcess(),
      pollIntervalMs: 20,
    },
    (changes) => seen.push(...changes),
  );
  onTestFinished(stop);
  await fs.writeFile(join(root, 'a.md'), '2');
  await eventually(() => covers(seen, 'a.md'));
});
