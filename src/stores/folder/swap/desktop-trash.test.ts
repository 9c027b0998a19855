import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { everyName, scratchVault } from '../scratch-vault.ts';
import { openDesktopTrash, trashInfo } from './desktop-trash.ts';

afterEach(() => vi.unstubAllEnvs());

const onLinux = test.skipIf(process.platform !== 'linux');

/** A trash as a desktop makes it, used by the stores of this test. */
async function desktop(parts: readonly string[] = ['files', 'info']): Promise<string> {
  const { root } = await scratchVault({});
  for (const part of parts) await fs.mkdir(join(root, 'Trash', part), { recursive: true });
  vi.stubEnv('XDG_DATA_HOME', root);
  return join(root, 'Trash');
}

test('an info file has the encoded path and the local time', () => {
  expect(trashInfo('/home/é/my notes/100%.md', new Date(2026, 0, 2, 3, 4, 5))).toBe(
    '[Trash Info]\nPath=/home/%C3%A9/my%20notes/100%25.md\nDeletionDate=2026-01-02T03:04:05\n',
  );
});

onLinux(
  'a file goes to the trash of the desktop with where it was, and a taken name gets a number',
  async () => {
    const trash = await desktop();
    const { root, store } = await scratchVault({ 'a/n.md': '1', 'b/n.md': '2' });
    expect(await store.trash('a/n.md', 'desktop')).toEqual({});
    expect(await store.trash('b/n.md', 'desktop')).toEqual({});
    expect((await store.list()).entries).toEqual([]);
    expect(await fs.readFile(join(trash, 'files/n.md'), 'utf8')).toBe('1');
    expect(await fs.readFile(join(trash, 'files/n 2.md'), 'utf8')).toBe('2');
    expect(await fs.readFile(join(trash, 'info/n 2.md.trashinfo'), 'utf8')).toContain(
      `Path=${root}/b/n.md\n`,
    );
    expect((await everyName(join(trash, 'info'))).sort()).toEqual(['n 2.md.trashinfo', 'n.md.trashinfo']);
  },
);

onLinux('a trash that no desktop has made is not made here', async () => {
  const trash = await desktop(['files']);
  expect(await openDesktopTrash()).toBeUndefined();
  const { store } = await scratchVault({ 'n.md': '1' });
  // The store's own is taken instead.
  expect(await store.trash('n.md', 'desktop')).toEqual({ trashPath: '.trash/n.md' });
  expect(await fs.readdir(trash)).toEqual(['files']);
});

onLinux('what cannot be moved stays, and leaves no info behind', async () => {
  const trash = await desktop();
  const { root, store } = await scratchVault({ 'n.md': '1' });
  await fs.symlink(join(root, 'n.md'), join(root, 'link.md'));
  await expect(store.trash('link.md', 'desktop')).rejects.toMatchObject({ code: 'forbidden' });
  await expect(store.trash('none.md', 'desktop')).rejects.toMatchObject({ code: 'not_found' });
  expect(await fs.readdir(join(trash, 'info'))).toEqual([]);
});
