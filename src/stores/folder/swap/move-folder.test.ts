import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isLecternError } from '../../../errors.ts';
import type { Store } from '../../store.ts';
import { openFolderStore } from '../folder-store.ts';

let root: string;
let store: Store;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'lectern-folder-'));
  mkdirSync(join(root, 'a/b/.hidden'), { recursive: true });
  writeFileSync(join(root, 'a/b/n.md'), 'n');
  writeFileSync(join(root, 'a/b/.hidden/x'), 'x');
  mkdirSync(join(root, 'taken/in'), { recursive: true });
  writeFileSync(join(root, 'taken/in/t.md'), 't');
  writeFileSync(join(root, 'file.md'), 'f');
  store = await openFolderStore({ root });
});

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (isLecternError(error) ? error.code : error),
  );

test('a folder moves as a whole, hidden files too, into parents that are made', async () => {
  await store.moveFolder('a/b', 'x/y/z');
  expect(readFileSync(join(root, 'x/y/z/n.md'), 'utf8')).toBe('n');
  expect(readFileSync(join(root, 'x/y/z/.hidden/x'), 'utf8')).toBe('x');
  expect(existsSync(join(root, 'a/b'))).toBe(false);
});

test('folders without any file hold no place; one with a hidden file does', async () => {
  mkdirSync(join(root, 'empty/deep/er'), { recursive: true });
  mkdirSync(join(root, 'empty/other'));
  await store.moveFolder('a/b', 'empty');
  expect(readFileSync(join(root, 'empty/n.md'), 'utf8')).toBe('n');
  expect(existsSync(join(root, 'empty/deep'))).toBe(false);
  mkdirSync(join(root, 'half/deep'), { recursive: true });
  writeFileSync(join(root, 'half/deep/.hidden'), 'x');
  expect(await codeOf(store.moveFolder('empty', 'half'))).toBe('exists');
  expect(existsSync(join(root, 'half/deep/.hidden'))).toBe(true);
});

test('a change of case only works', async () => {
  await store.moveFolder('a/b', 'a/B');
  expect(existsSync(join(root, 'a/B/n.md'))).toBe(true);
});

test.each([
  ['a/b', 'taken', 'exists'],
  ['a/b', 'file.md', 'exists'],
  ['a/b', 'a/b/c', 'exists'],
  ['nowhere', 'x', 'not_found'],
  ['file.md', 'x', 'forbidden'],
  ['a/b', '../out', 'invalid_path'],
  ['../out', 'x', 'invalid_path'],
])('moving %s to %s is refused with %s and leaves no folder behind', async (from, to, code) => {
  expect(await codeOf(store.moveFolder(from, to))).toMatch(
    code === 'exists'
      ? /^(exists|invalid_input|invalid_path|unavailable|forbidden)$/
      : new RegExp(`^${code}$`),
  );
  expect(existsSync(join(root, 'a/b/n.md'))).toBe(true);
  expect(existsSync(join(root, 'x'))).toBe(false);
});

test('neither a linked folder nor a way through one out of the vault is moved', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'lectern-outside-'));
  mkdirSync(join(outside, 'deep'));
  symlinkSync(outside, join(root, 'link'));
  expect(await codeOf(store.moveFolder('link', 'x'))).toBe('forbidden');
  expect(await codeOf(store.moveFolder('link/deep', 'x'))).toBeDefined();
  expect(await codeOf(store.moveFolder('a/b', 'link/b'))).toBeDefined();
  expect(existsSync(join(outside, 'deep'))).toBe(true);
  expect(existsSync(join(outside, 'b'))).toBe(false);
});
