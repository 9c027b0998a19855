import { type BigIntStats, closeSync, linkSync, lstatSync, openSync, renameSync } from 'node:fs';
import { hasCode, isLinkUnsupported } from './errno.ts';
import { isSameInode } from './identity.ts';

// The steps in which two programs could meet are synchronous and adjacent: nothing of ours runs
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
    // No hard links here: reserve the name, then rename over our own empty reservation (which is all
    // that a crash just between the two leaves).
    closeSync(openSync(to, 'wx'));
    renameSync(from, to);
  }
}

/**
 * Takes away the file at `from` if it is `expected`; any other file stays where it is.
 * @param aside a free name on the same drive that the file goes to
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
