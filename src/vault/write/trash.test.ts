import * as fs from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';

async function vaultWith(trashOption: string | undefined): Promise<TestVault> {
  const app = trashOption === undefined ? '{}' : JSON.stringify({ trashOption });
  const vault = await openTestVault({ '.obsidian/app.json': app, 'a/n.md': 'text\n' });
  open.push(vault);
  return vault;
}

/** A data folder with a desktop's trash in it, or without. */
function dataHome(hasTrash: boolean): string {
  const home = mkdtempSync(join(tmpdir(), 'lectern-data-'));
  if (hasTrash)
    for (const part of ['files', 'info']) fs.mkdirSync(join(home, 'Trash', part), { recursive: true });
  vi.stubEnv('XDG_DATA_HOME', home);
  return home;
}

test.each([
  ['local', true],
  [undefined, true],
  ['system', false],
])('with trashOption %s a deleted note lies in .trash', async (trashOption, hasDesktop) => {
  dataHome(hasDesktop);
  const { session, files } = await vaultWith(trashOption);
  const removed = await session.remove('a/n.md', { tool });
  expect(removed).toMatchObject({ trashPath: '.trash/n.md', kept: 'in_vault' });
  expect((await session.trashList({ limit: 5 })).items).toMatchObject([{ originalPath: 'a/n.md' }]);
  await session.trashRestore('.trash/n.md', undefined, { tool });
  expect(files()).toEqual({ 'a/n.md': 'text\n' });
});

test('with trashOption none it is gone but for the journal, and undo and redo work', async () => {
  const { session, folder, files } = await vaultWith('none');
  const removed = await session.remove('a/n.md', { tool });
  expect(removed).toMatchObject({ trashPath: undefined, kept: 'in_journal' });
  expect(fs.readdirSync(join(folder, 'a'))).toEqual([]);
  expect(fs.existsSync(join(folder, '.trash'))).toBe(false);
  expect((await session.trashList({ limit: 5 })).total).toBe(0);
  const undone = await session.undo({ tool, writeId: removed.writeId ?? 0 });
  expect(files()).toEqual({ 'a/n.md': 'text\n' });
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(files()).toEqual({});
});

test.skipIf(process.platform !== 'linux')(
  'with trashOption system it goes to the trash of the desktop, and undo brings it back',
  async () => {
    const home = dataHome(true);
    const { session, folder, files } = await vaultWith('system');
    const removed = await session.remove('a/n.md', { tool });
    expect(removed).toMatchObject({ trashPath: undefined, kept: 'on_desktop' });
    expect(fs.readFileSync(join(home, 'Trash/files/n.md'), 'utf8')).toBe('text\n');
    expect(fs.existsSync(join(folder, '.trash'))).toBe(false);
    await session.undo({ tool, writeId: removed.writeId ?? 0 });
    expect(files()).toEqual({ 'a/n.md': 'text\n' });
  },
);

test('a version that an editor saved in between is not removed', async () => {
  const { session, folder, files } = await vaultWith('none');
  const { etag } = await session.open('a/n.md');
  fs.writeFileSync(join(folder, 'a/n.md'), 'saved meanwhile\n');
  await expect(session.remove('a/n.md', { tool, ifMatch: etag })).rejects.toMatchObject({ code: 'conflict' });
  expect(files()).toEqual({ 'a/n.md': 'saved meanwhile\n' });
});
