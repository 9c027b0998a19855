import type * as Fs from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { describeStoreContract } from '../store-contract.ts';
import { folderHarness } from './folder-harness.ts';
import { encode, everyName, scratchVault } from './scratch-vault.ts';

// As on systems without `/proc/self/fd`, where folders are reached by name.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  return { ...fs, existsSync: (path: string) => path !== '/proc/self/fd' && fs.existsSync(path) };
});

describeStoreContract('The folder store without descriptors of folders', folderHarness);

test('links to the outside are refused by name as well', async () => {
  const { root, outside, store } = await scratchVault({ 'a.md': 'A' });
  await symlink('../outside', join(root, 'link'));
  const refused = expect.objectContaining({ code: 'forbidden' });
  await expect(store.read('link/secret.md')).rejects.toEqual(refused);
  await expect(store.create('link/new.md', encode('x'))).rejects.toEqual(refused);
  await expect(store.move('a.md', 'link/a.md')).rejects.toEqual(refused);
  expect(await everyName(outside)).toEqual(['secret.md']);
});
