import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';

async function vaultWith(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

const rules = (deny: readonly string[]) => [
  { readOnly: false, read: { allow: [], deny }, write: { allow: [], deny: [] } },
];

test('folders are counted, empty ones too, and dot folders are none', async () => {
  const { session, folder } = await vaultWith({
    'top.md': '',
    'a/one.md': '',
    'a/b/two.md': '',
    'files/x.png': '',
    '.obsidian/app.json': '{}',
  });
  mkdirSync(join(folder, 'empty'));
  const folders = await session.folders();
  expect(folders.map(({ birthtimeMs, ...folder }) => folder)).toEqual([
    { path: 'a', notes: 1, files: 1, notesBelow: 2, filesBelow: 2 },
    { path: 'a/b', notes: 1, files: 1, notesBelow: 1, filesBelow: 1 },
    { path: 'empty', notes: 0, files: 0, notesBelow: 0, filesBelow: 0 },
    { path: 'files', notes: 0, files: 1, notesBelow: 0, filesBelow: 1 },
  ]);
  expect(folders.every(({ birthtimeMs = 0 }) => birthtimeMs > 0)).toBe(true);
});

test('a folder is made with those above it, and undo takes away what was made as far as it is empty', async () => {
  const { session, folder } = await vaultWith({ 'a/one.md': '' });
  const made = await session.makeFolder('a/b/c', { tool });
  expect(made.path).toBe('a/b/c');
  expect(existsSync(join(folder, 'a/b/c'))).toBe(true);
  const undone = await session.undo({ tool, writeId: made.writeId ?? 0 });
  expect(existsSync(join(folder, 'a/b'))).toBe(false);
  expect(existsSync(join(folder, 'a'))).toBe(true);
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(existsSync(join(folder, 'a/b/c'))).toBe(true);
  await session.write('a/b/new.md', { body: '' }, { tool });
  await session.undo({ tool, writeId: made.writeId ?? 0 });
  expect(existsSync(join(folder, 'a/b/c'))).toBe(false);
  expect(existsSync(join(folder, 'a/b/new.md'))).toBe(true);
});

test('one that is there is refused, whatever its case, and so are names that none may have', async () => {
  const { session } = await vaultWith({ 'Old/one.md': '' });
  for (const path of ['Old', 'old/', '/Old'])
    await expect(session.makeFolder(path, { tool })).rejects.toMatchObject({ code: 'exists' });
  for (const path of ['', '/', '../x', '.hidden', 'a/.b', 'x\0y', 'Old/one.md'])
    await expect(session.makeFolder(path, { tool })).rejects.toMatchObject({ code: 'invalid_path' });
  expect((await session.folders()).map(({ path }) => path)).toEqual(['Old']);
});

test('what may not be seen is neither told nor found out by making it', async () => {
  const { vault, folder } = await vaultWith({ 'open/one.md': '', 'private/x.md': '', 'mixed/secret.md': '' });
  mkdirSync(join(folder, 'private/empty'));
  const session = vault.session(ACTOR, rules(['private', '**/secret.md']));
  expect((await session.folders()).map(({ path }) => path)).toEqual(['open']);
  await expect(session.makeFolder('private/new', { tool })).rejects.toMatchObject({ code: 'not_found' });
  const there = await session.makeFolder('mixed', { tool });
  const fresh = await session.makeFolder('fresh', { tool });
  expect({ ...there, path: '' }).toEqual({ ...fresh, path: '', writeId: there.writeId });
});
