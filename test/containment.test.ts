import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZodError } from 'zod';
import { isLecternError } from '../src/errors.ts';
import { runOperation } from '../src/operations/call/run.ts';
import type { Operation } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { openTestVault, type TestVault } from './support/test-vault.ts';

/** Every way out of the vault that is known, through every operation that takes a path. */
const SECRET = 'the secret of another folder';
const HANG_MS = 5000;
let outside: string;
let vault: TestVault;
let before: string;

beforeEach(async () => {
  outside = mkdtempSync(join(tmpdir(), 'lectern-outside-'));
  mkdirSync(join(outside, 'deep'));
  writeFileSync(join(outside, 'secret.md'), SECRET);
  writeFileSync(join(outside, 'deep/secret.md'), SECRET);
  vault = await openTestVault({
    'note.md': 'inside\n',
    'Folder/other.md': '[[note]]\n',
    'Cafe\u0301.md': 'nfd\n',
    '.obsidian/app.json': '{}',
    '.obsidian/secret.md': SECRET,
    '.git/secret.md': SECRET,
    'Folder/.hidden/secret.md': SECRET,
  });
  const { folder } = vault;
  symlinkSync(join(outside, 'secret.md'), join(folder, 'linked.md'));
  symlinkSync(outside, join(folder, 'linked'));
  symlinkSync('../..', join(folder, 'Folder/up'));
  symlinkSync('loop.md', join(folder, 'loop.md'));
  symlinkSync('/dev/zero', join(folder, 'zero.md'));
  symlinkSync('/proc/self/environ', join(folder, 'environ.md'));
  execFileSync('mkfifo', [join(folder, 'pipe.md')]);
  before = print(outside);
});

afterEach(async () => {
  await vault.close();
  for (const folder of [vault.folder, vault.state, outside]) rmSync(folder, { recursive: true, force: true });
});

function print(root: string): string {
  return JSON.stringify(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        return [path, entry.isFile() ? readFileSync(path, 'utf8') : ''];
      })
      .sort(),
  );
}

const LEADS_OUT: readonly string[] = [
  '../secret.md',
  '../../../../../../etc/passwd',
  'Folder/../../secret.md',
  './note/../../secret.md',
  '..\\secret.md',
  'Folder\\..\\..\\secret.md',
  '%2e%2e/secret.md',
  '..%2fsecret.md',
  '%2e%2e%2fsecret.md',
  '..%252fsecret.md',
  '..%c0%afsecret.md',
  '\u2025/secret.md',
  '\uff0e\uff0e/secret.md',
  '.\u200b./secret.md',
  '/etc/passwd',
  '//etc/passwd',
  'file:///etc/passwd',
  'C:/Windows/win.ini',
  'C:\\Windows\\win.ini',
  'c:secret.md',
  '\\\\server\\share\\secret.md',
  '\\\\?\\C:\\secret.md',
  '~/secret.md',
  'note.md\0.png',
  '\0',
  '',
  '.',
  '..',
  '/',
  'linked.md',
  'linked/secret.md',
  'linked/deep/secret.md',
  'Folder/up/secret.md',
  'loop.md',
  'zero.md',
  'environ.md',
  'pipe.md',
  '.obsidian/app.json',
  '.obsidian/secret.md',
  '.OBSIDIAN/secret.md',
  '.git/secret.md',
  '.gi\u200ct/secret.md',
  'git~1/secret.md',
  'Folder/.hidden/secret.md',
  '.trash/x.md',
  'CON.md',
  'nul',
  'aux.md',
  'COM1.md',
  'note.md:stream',
  'note.md::$DATA',
  'note.md.',
  'note.md ',
  `${'n'.repeat(300)}.md`,
  `${'d/'.repeat(3000)}n.md`,
  '\ud800.md',
];

const context = { signal: new AbortController().signal, progress: () => {} };

async function attempt(operation: Operation, input: Record<string, unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${operation.name} hangs on ${JSON.stringify(input)}`)),
      HANG_MS,
    );
  });
  try {
    return await Promise.race([
      runOperation(operation, vault.session, operation.input.parse(input), context),
      limit,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** What each operation is asked to do with a path that leads out. */
const CALLS: readonly [string, (path: string) => Record<string, unknown>][] = [
  ['note_read', (path) => ({ path })],
  ['note_exists', (path) => ({ path })],
  ['note_outline', (path) => ({ path })],
  ['link_backlinks', (path) => ({ path })],
  ['note_history', (path) => ({ path })],
  ['note_write', (path) => ({ path, body: 'written' })],
  ['note_patch', (path) => ({ path, ops: [{ op: 'append_body', markdown: 'written' }] })],
  ['note_delete', (path) => ({ path })],
  ['note_move', (path) => ({ from: path, to: 'stolen.md' })],
  ['note_move', (path) => ({ from: 'note.md', to: path })],
  ['note_move', (path) => ({ from: 'Folder', to: path })],
  ['trash_restore', (path) => ({ trash_path: path, to: 'stolen.md' })],
  ['trash_restore', (path) => ({ trash_path: `.trash/${path}`, to: 'stolen.md' })],
  ['trash_restore', (path) => ({ trash_path: '.trash/gone.md', to: path })],
];

test.each(CALLS.map(([name, input], at) => [`${name} (${at})`, name, input] as const))(
  '%s stays inside the vault whatever path it is given',
  async (_, name, input) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`There is no ${name}.`);
    for (const path of LEADS_OUT) {
      const answer = await attempt(operation, input(path)).catch((error: unknown) => {
        // A refusal is an answer of the family that clients are shown; anything else is a bug.
        if (error instanceof ZodError) return {};
        if (!isLecternError(error)) throw error;
        return { message: error.message, details: error.details, next: error.next };
      });
      const shown = JSON.stringify(answer);
      expect(shown, path).not.toContain(SECRET);
      expect(shown, path).not.toContain('root:x:');
      expect(shown, path).not.toContain(outside);
    }
    expect(print(outside)).toBe(before);
    // A destination may be an odd but harmless name inside; no note is lost or changed for it.
    const texts = Object.values(vault.files());
    expect(texts).toContain('inside\n');
    expect(texts).toContain('nfd\n');
  },
);

test('a hard link is an ordinary file, and writing to one leaves its other name alone', async () => {
  const twin = join(outside, 'twin.md');
  writeFileSync(twin, 'twin\n');
  linkSync(twin, join(vault.folder, 'hard.md'));
  await vault.session.patch('hard.md', [{ op: 'append_body', markdown: 'mine' }], { tool: 'test' });
  expect(vault.file('hard.md')).toBe('twin\nmine\n');
  expect(readFileSync(twin, 'utf8')).toBe('twin\n');
});

test('names that differ in case or Unicode form only make no twins', async () => {
  const write = (path: string) =>
    vault.session.write(path, { body: 'twin' }, { tool: 'test', ifNotExists: true }).then(
      () => undefined,
      (error: unknown) => (isLecternError(error) ? error.code : error),
    );
  const paths = Object.keys(vault.files()).sort();
  expect(await write('Caf\u00e9.md')).toBe('exists');
  expect(await write('CAF\u00c9.md')).toBe('exists');
  expect(await write('NOTE.md')).toBe('exists');
  expect(await write('folder/OTHER.md')).toBe('exists');
  expect(Object.keys(vault.files()).sort()).toEqual(paths);
});
