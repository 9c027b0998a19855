import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { etagOf } from '../../notes/etag.ts';
import { encode, everyName, scratchVault } from './scratch-vault.ts';
import { releaseTempName, swapFolderName } from './temp.ts';

/** A swap folder as a crash would leave it: the process's own, but in use by nobody. */
async function crashed(root: string, purpose: string, files: Record<string, string>): Promise<string> {
  const name = swapFolderName(purpose);
  releaseTempName(name);
  await fs.mkdir(join(root, name));
  for (const [file, content] of Object.entries(files)) await fs.writeFile(join(root, name, file), content);
  return join(root, name);
}

const etag = (text: string) => etagOf(encode(text));
const contents = async (root: string) =>
  Promise.all((await everyName(root)).map((name) => fs.readFile(join(root, name), 'utf8')));

test('a crash before anything was touched leaves the old version', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'old' });
  await crashed(root, etag('old'), { '.new': 'new' });
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['old']);
});

test('a crash after the old version got its second name leaves the old version', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'old' });
  const swap = await crashed(root, etag('old'), { '.new': 'new' });
  await fs.link(join(root, 'n.md'), join(swap, 'n.md'));
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['old']);
});

test('a crash while the note had no name brings the old version back', async () => {
  const { root, store } = await scratchVault({});
  await crashed(root, etag('old'), { 'n.md': 'old', '.new': 'new' });
  const { entries } = await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['old']);
  expect(entries.map(({ path }) => path)).toEqual(['n.md']);
});

test('a crash after the new version is in place leaves the new version', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'new' });
  await crashed(root, etag('old'), { 'n.md': 'old' });
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['new']);
});

test("a crash while an editor's version was set aside keeps both versions", async () => {
  const { root, store } = await scratchVault({ 'n.md': 'new' });
  await crashed(root, etag('old'), { 'n.md': 'an editor wrote this' });
  await store.list();
  const names = await everyName(root);
  expect(names).toHaveLength(2);
  expect(names[0]).toMatch(/^n \(conflict \d{4}-\d\d-\d\d \d{6}\)\.md$/);
  expect((await contents(root)).sort()).toEqual(['an editor wrote this', 'new']);
});

test('a crashed move is finished when the file has its new name, and taken back otherwise', async () => {
  const { root, store } = await scratchVault({ 'to.md': 'moved' });
  const finished = await crashed(root, 'move', {});
  await fs.link(join(root, 'to.md'), join(finished, 'from.md'));
  await crashed(root, 'move', { 'other.md': 'not moved' });
  await store.list();
  expect(await everyName(root)).toEqual(['other.md', 'to.md']);
  expect(await contents(root)).toEqual(['not moved', 'moved']);
});
