import * as fs from 'node:fs';
import type { Containment, Folder } from './contain.ts';
import { isSameInode } from './identity.ts';

/** The stats of a file, or why they cannot be read. */
export type Looked = fs.BigIntStats | Error;

const BIG = { bigint: true } as const;
/** Time slice of synchronous requests, ms. */
const SLICE_MS = 3;
/** With fewer files, checking the folder takes as long as it saves. */
const FEW = 6;

/**
 * Stats files of one folder in one step by their plain paths: a path through the folder's descriptor takes
 * the kernel twice as long. The folder is checked before and after; when it was not in its place throughout,
 * the results are dropped and the descriptor is used. (Only a parent folder that is moved away and back
 * within a fraction of a millisecond goes unnoticed; then sizes and times of other files are listed until the
 * next look. Nothing is read from them: opening a file checks its path.)
 *
 * @returns one result per name, in order; undefined where the drive must not be accessed synchronously
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

/** As many names from `start` on as fit into the time slice. */
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

/** Whether the folder itself is there and was not renamed since `opened`: a rename changes its change time. */
function isStill(place: string, opened: fs.BigIntStats): boolean {
  const there = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && isSameInode(there, opened) && there.ctimeNs === opened.ctimeNs;
}

/** @param prefix prepended to the names */
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
