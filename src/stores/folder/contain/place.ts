import { type BigIntStats, closeSync, linkSync, lstatSync, openSync, renameSync } from 'node:fs';
import { hasCode, isLinkUnsupported } from './errno.ts';
import { isSameInode } from './identity.ts';

// Steps that can race with another program are synchronous and adjacent: no other code of this process runs
// between them, and they take microseconds on a local disk.

/**
 * Gives the file at `from` the name `to`, which must not exist; `from` may remain as a second name.
 * @throws EEXIST when `to` exists
 */
export function placeNew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isLinkUnsupported(error)) throw error;
    // Without hard links: reserve the name with an empty file, then rename over it (after a crash in between
    // only the empty file remains).
    closeSync(openSync(to, 'wx'));
    renameSync(from, to);
  }
}

/**
 * Removes the file at `from` if it is `expected`; any other file stays.
 * @param aside a free name on the same drive, to which the file is moved
 * @returns true when `aside` now holds the expected file
 */
export function takeAway(from: string, aside: string, expected: BigIntStats): boolean {
  try {
    renameSync(from, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  if (isSameInode(lstatSync(aside, { bigint: true }), expected)) return true;
  placeNew(aside, from);
  return false;
}
