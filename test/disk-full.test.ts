import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLecternError } from '../src/errors.ts';
import { openTestVault, type TestVault } from './support/test-vault.ts';

/** A drive of one mebibyte that is filled to the last block. Mounting needs root and a system that lets it. */
const tool = 'test';
const RESERVE = 'filler';
let drive: string | undefined;
let other: string;
let vault: TestVault | undefined;

beforeEach(() => {
  other = mkdtempSync(join(tmpdir(), 'lectern-other-'));
  const place = mkdtempSync(join(tmpdir(), 'lectern-drive-'));
  drive = undefined;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place], { stdio: 'pipe' });
    drive = place;
  } catch {
    console.log('Skipped: a small drive cannot be mounted here (needs root on Linux).');
    rmSync(place, { recursive: true });
  }
});

afterEach(async () => {
  await vault?.close();
  vault = undefined;
  if (drive !== undefined) {
    execFileSync('umount', ['-l', drive]);
    rmSync(drive, { recursive: true });
  }
  rmSync(other, { recursive: true, force: true });
});

/** Leaves `bytes` free on the drive, rounded down to its blocks. */
function fill(place: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(place);
  writeFileSync(join(place, RESERVE), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (isLecternError(error) ? error.code : error),
  );

const litter = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.includes('.lectern-'));

function notesOf(opened: TestVault): Record<string, string> {
  const { [RESERVE]: _, ...notes } = opened.files();
  return notes;
}

const files = {
  'a.md': 'alpha\n',
  'big.md': `[[a]]\n${'filling words '.repeat(2000)}\n`,
  'small.md': '[[a]]\n',
};

test('a full drive refuses writes, changes nothing and is written to again when there is space', async () => {
  if (drive === undefined) return;
  const opened = await openTestVault(files, { reopen: { folder: drive, state: other } });
  vault = opened;
  const { session } = opened;
  const before = notesOf(opened);
  fill(drive, 0);
  const append = () => session.patch('big.md', [{ op: 'append_body', markdown: 'more' }], { tool });
  expect(await codeOf(append())).toBe('unavailable');
  expect(await codeOf(session.write('new.md', { body: 'new' }, { tool }))).toBe('unavailable');
  expect(notesOf(opened)).toEqual(before);
  expect(litter(drive)).toEqual([]);
  expect((await session.history({ limit: 5 })).total).toBe(0);
  rmSync(join(drive, RESERVE));
  expect(await codeOf(append())).toBeUndefined();
  expect(opened.file('big.md')).toBe(`${files['big.md']}more\n`);
});

test('a move that runs out of space in the middle is taken back', async () => {
  if (drive === undefined) return;
  const opened = await openTestVault(files, { reopen: { folder: drive, state: other } });
  vault = opened;
  const { session } = opened;
  const before = notesOf(opened);
  // Enough for the small note and a folder, not for the big one.
  fill(drive, 16_384);
  expect(await codeOf(session.move('a.md', 'sub/b.md', { tool }))).toBe('unavailable');
  expect(notesOf(opened)).toEqual(before);
  expect(litter(drive)).toEqual([]);
  rmSync(join(drive, RESERVE));
  const moved = await session.move('a.md', 'sub/c.md', { tool });
  expect(moved.links).toBe(2);
  expect(opened.file('small.md')).toBe('[[c]]\n');
  await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(notesOf(opened)).toEqual(before);
});

test('a full drive under the journal refuses writes before any note is touched', async () => {
  if (drive === undefined) return;
  const opened = await openTestVault(files, { reopen: { folder: other, state: drive } });
  vault = opened;
  const { session } = opened;
  await session.patch('a.md', [{ op: 'append_body', markdown: 'first' }], { tool });
  const before = notesOf(opened);
  fill(drive, 0);
  const append = (text: string) => session.patch('big.md', [{ op: 'append_body', markdown: text }], { tool });
  // The write-ahead log may hold a few pages of room yet; a text that deflates badly takes them all.
  const noise = Array.from({ length: 40_000 }, (_, at) =>
    ((at * 2_654_435_761) % 94_906_267).toString(36),
  ).join(' ');
  expect(await codeOf(append(noise))).toBe('unavailable');
  expect(notesOf(opened)).toEqual(before);
  rmSync(join(drive, RESERVE));
  expect(await codeOf(append('after'))).toBeUndefined();
  expect(opened.file('big.md')).toBe(`${files['big.md']}after\n`);
});
