import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { missingFolders, removeEmpty } from './made-folders.ts';

test('missing parents are listed innermost first, and removed again as far as they are empty', () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-made-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, 'a', 'b', 'c.json');
  const folders = missingFolders(file);
  expect(folders).toEqual([join(root, 'a', 'b'), join(root, 'a')]);
  mkdirSync(join(root, 'a', 'b'), { recursive: true });
  expect(missingFolders(file)).toEqual([]);

  writeFileSync(join(root, 'a', 'kept.txt'), '');
  for (const folder of folders) removeEmpty(folder);
  expect(existsSync(join(root, 'a', 'b'))).toBe(false);
  expect(existsSync(join(root, 'a', 'kept.txt'))).toBe(true);
});
