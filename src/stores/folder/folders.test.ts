import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolderStore } from './folder-store.ts';

test('folders are told with those that are empty, without hidden ones, ignored ones and links', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-folders-'));
  try {
    for (const path of ['a/b/c', 'empty/inner', '.hidden/x', 'skip/x', 'a/.b'])
      mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, 'a/b/n.md'), '');
    writeFileSync(join(root, 'empty/.keep'), '');
    symlinkSync(join(root, 'a'), join(root, 'link'));
    const store = await openFolderStore({ root, ignore: (path) => path === 'skip' });
    const folders = (await store.folders?.()) ?? [];
    expect(folders.map(({ path, isEmpty }) => [path, isEmpty]).sort()).toEqual([
      ['a', false],
      ['a/b', false],
      ['a/b/c', true],
      ['empty', true],
      ['empty/inner', true],
    ]);
    expect(folders.every(({ birthtimeMs }) => birthtimeMs > 0)).toBe(true);
    await store.makeFolder?.('new/one');
    await store.makeFolder?.('new/one');
    expect((await store.folders?.())?.map(({ path }) => path)).toContain('new/one');
    await expect(store.makeFolder?.('a/b/n.md/x')).rejects.toMatchObject({ code: 'invalid_path' });
    await expect(store.makeFolder?.('.obsidian/x')).rejects.toThrow();
    await store.close();
  } finally {
    rmSync(root, { recursive: true });
  }
});
