import * as fs from 'node:fs';
import type { Containment, Folder } from './contain.ts';
import { isSameInode } from './identity.ts';

/** What there is to know about a file, or why that cannot be known. */
export type Looked = fs.BigIntStats | Error;

const BIG = { bigint: true } as const;
/** A disk that is slow to answer is not asked on and on while everybody waits. */
const SLICE_MS = 3;
/** To find out whether the folder is in its place takes as long as is saved with so many files. */
const FEW = 6;

/**
 * Looks at files of one folder in one go, and by their plain paths: the way through the folder's descriptor
 * takes the kernel twice as long. The folder is looked at before and after, and when it was not in its place all the
 * while, what was seen there is dropped and the descriptor asked. (Only a folder above it that is put away and back in
 * the same fraction of a millisecond goes unnoticed; then sizes and times of other files are listed until the next
 * look, and nothing is read: whatever opens a file finds out where it lies.)
 *
 * @returns for every name, in order; undefined where the drive is not to be asked directly
 */
export async function statPlain(
  wall: Containment,
  folder: Folder,
  names: readonly string[],
): Promise<Looked[] | undefined> {
  if (!wall.anchored) return undefined;
  const looked: Looked[] = [];
  while (looked.length < names.length) {
    const more = await wall.drive.together(() => someNow(wall, folder, names, looked.length));
    if (more === undefined) return undefined;
    looked.push(...more);
  }
  return looked;
}

/** As many of the names from `start` on as there is time for. */
function someNow(wall: Containment, folder: Folder, names: readonly string[], start: number): Looked[] {
  if (names.length - start > FEW) {
    const place = wall.absolute(folder.path);
    const opened = fs.lstatSync(folder.at(''), BIG);
    if (isStill(place, opened)) {
      const looked = lookAt(`${place}/`, names, start);
      if (isStill(place, opened)) return looked;
    }
  }
  return lookAt(folder.at(''), names, start);
}

/** The folder itself is there, and was not renamed since `opened`: that changes its change time. */
function isStill(place: string, opened: fs.BigIntStats): boolean {
  const there = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && isSameInode(there, opened) && there.ctimeNs === opened.ctimeNs;
}

/** @param prefix what the names are appended to */
function lookAt(prefix: string, names: readonly string[], start: number): Looked[] {
  const until = performance.now() + SLICE_MS;
  const looked: Looked[] = [];
  for (let at = start; at < names.length; at++) {
    looked.push(lookAtOne(prefix + names[at]));
    if (performance.now() > until) break;
  }
  return looked;
}

function lookAtOne(place: string): Looked {
  try {
    return fs.lstatSync(place, BIG);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
