import * as fs from 'node:fs';
import type { StoredFile } from '../../store.ts';
import { type Containment, checkReadable } from './contain.ts';
import type { OpenedFile } from './identity.ts';
import { entryOf, isUnchanged } from './identity.ts';

/**
 * NONBLOCK and NOCTTY: should a pipe or terminal take the file's place after the check, opening it
 * must neither hang nor seize it. NOFOLLOW: nor may a link.
 */
export const OPEN_FILE =
  fs.constants.O_RDONLY |
  (fs.constants.O_NOFOLLOW ?? 0) |
  (fs.constants.O_NONBLOCK ?? 0) |
  (fs.constants.O_NOCTTY ?? 0);

/** Larger files are read through the thread pool. */
export const MAX_BYTES = 256 * 1024;

/**
 * Reads what most files are: an ordinary small file, no link on the way to it, and nobody writes to it. All in one
 * go and without its folder being opened first: what was opened is asked where it lies, and unless that is just the
 * place that was meant, nothing is read from it.
 *
 * @returns undefined for everything else: to be read step by step, which also finds out what is wrong
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
  // Also tells links among the folders, and another spelling of the name.
  const opened = openNow(place, maxBytes, (fd) => wall.placeOf(fd) === place);
  if (opened === undefined) return undefined;
  fs.closeSync(opened.fd);
  return { entry: entryOf(path, opened.stats), bytes: opened.bytes };
}

/**
 * Opens and reads an ordinary file that is not too large and that nobody writes to, in one go.
 * @param isMeant whether what was opened is what was meant
 * @returns undefined for everything else. Whoever asked closes `fd`.
 */
export function openNow(
  place: string,
  maxBytes: number,
  isMeant: (fd: number) => boolean,
): OpenedFile | undefined {
  // Only an ordinary file is opened: to open a pipe or a device may be to do something.
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
