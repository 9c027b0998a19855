import * as fs from 'node:fs';
import type { StoredFile } from '../../store.ts';
import { type Containment, checkReadable } from './contain.ts';
import type { OpenedFile } from './identity.ts';
import { entryOf, isUnchanged } from './identity.ts';

/**
 * NONBLOCK and NOCTTY: if a pipe or terminal replaces the file after the check, opening it must neither block
 * nor become the controlling terminal. NOFOLLOW: a link must not be followed.
 */
export const OPEN_FILE =
  fs.constants.O_RDONLY |
  (fs.constants.O_NOFOLLOW ?? 0) |
  (fs.constants.O_NONBLOCK ?? 0) |
  (fs.constants.O_NOCTTY ?? 0);

/** Larger files are read through the thread pool. */
export const MAX_BYTES = 256 * 1024;

/**
 * Reads an ordinary file: small, with no link on its path, and not being written. Everything happens in one
 * step, without opening the folder first: the path of the open descriptor is read back, and unless it is
 * exactly the expected one, nothing is read.
 *
 * @returns undefined for every other file: it must be read step by step, which also determines the error
 * @throws LecternError `invalid_path`
 */
export async function readPlain(
  wall: Containment,
  path: string,
  maxBytes: number,
): Promise<StoredFile | undefined> {
  checkReadable(path);
  if (!wall.anchored) return undefined;
  return await wall.drive.together(() => {
    try {
      return readNow(wall, path, maxBytes);
    } catch {
      return undefined;
    }
  });
}

function readNow(wall: Containment, path: string, maxBytes: number): StoredFile | undefined {
  const place = wall.prefix + path;
  // This also reveals links among the folders, and another spelling of the name.
  const opened = openNow(place, maxBytes, (fd) => wall.placeOf(fd) === place);
  if (opened === undefined) return undefined;
  fs.closeSync(opened.fd);
  return { entry: entryOf(path, opened.stats), bytes: opened.bytes };
}

/**
 * Opens and reads an ordinary file that is not too large and not being written, in one step.
 * @param isMeant whether the opened file is the expected one
 * @returns undefined for every other file. The caller must close `fd`.
 */
export function openNow(
  place: string,
  maxBytes: number,
  isMeant: (fd: number) => boolean,
): OpenedFile | undefined {
  // Only an ordinary file is opened: opening a pipe or a device may have side effects.
  const before = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false });
  if (!before?.isFile() || before.size > Math.min(maxBytes, MAX_BYTES)) return undefined;
  const size = Number(before.size);
  const fd = fs.openSync(place, OPEN_FILE);
  let isKept = false;
  try {
    if (!isMeant(fd)) return undefined;
    // One byte more than expected shows that the file has grown.
    const buffer = Buffer.allocUnsafeSlow(size + 1);
    if (fs.readSync(fd, buffer, 0, size + 1, 0) !== size) return undefined;
    const after = fs.fstatSync(fd, { bigint: true });
    isKept = isUnchanged(before, after);
    return isKept ? { fd, stats: after, bytes: new Uint8Array(buffer.buffer, 0, size) } : undefined;
  } finally {
    if (!isKept) fs.closeSync(fd);
  }
}
