import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { etagOf } from '../../../notes/etag.ts';
import { encode, everyName, scratchVault } from '../scratch-vault.ts';
import { oldVersionName, releaseTempName, swapFolderName, tempFileName } from './temp.ts';

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

/** What a crash leaves of a replace: files under names that nobody uses any more. */
async function left(root: string, name: string, content: string | { linkTo: string }): Promise<void> {
  releaseTempName(name);
  if (typeof content === 'string') await fs.writeFile(join(root, name), content);
  else await fs.link(join(root, content.linkTo), join(root, name));
}

test('a crash before anything was touched leaves the old version', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'old' });
  await left(root, tempFileName(), 'new');
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['old']);
});

test('a crash after the old version got its second name leaves the old version', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'old' });
  await left(root, tempFileName(), 'new');
  await left(root, oldVersionName(etag('old')), { linkTo: 'n.md' });
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['old']);
});

test('a crash after the new version took the place leaves the new version alone', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'new' });
  await left(root, oldVersionName(etag('old')), 'old');
  await store.list();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await contents(root)).toEqual(['new']);
});

test('a crash just when an editor wrote to the version that was replaced keeps what it wrote', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'new' });
  await left(root, oldVersionName(etag('old')), 'an editor wrote this');
  await store.list();
  expect((await contents(root)).sort()).toEqual(['an editor wrote this', 'new']);
  expect((await everyName(root)).join()).toMatch(/Recovered note \(conflict \d{4}-\d\d-\d\d \d{6}\)\.md/);
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
