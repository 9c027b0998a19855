import { type BigIntStats, constants } from 'node:fs';
import { baseName, dirName, joinPath } from '../../../notes/path.ts';
import type { StoreEntry } from '../../store.ts';
import { type Containment, checkWritable, type Folder } from '../contain/contain.ts';
import type { Drive } from '../contain/drive.ts';
import { alreadyExists, hasCode, storeError } from '../contain/errno.ts';
import { entryOf, settledStats } from '../contain/identity.ts';
import { placeNew } from '../contain/place.ts';
import { spelledIn } from '../contain/spelling.ts';
import { cloudPlaceholder } from '../icloud.ts';
import { releaseTempName, tempFileName } from './temp.ts';

const MAKE_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/**
 * Writes a file that must not exist: first complete and flushed under a temporary name, then under its own
 * name by `link`, which the kernel refuses when the name is taken.
 *
 * @param modifiedMs modification time, ms since the epoch; undefined = now
 */
export async function createFile(
  wall: Containment,
  path: string,
  bytes: Uint8Array,
  modifiedMs?: number,
): Promise<StoreEntry> {
  checkWritable(path);
  const placeholder = await cloudPlaceholder(wall, path);
  if (placeholder !== undefined) throw placeholder;
  const { folder, undo } = await wall.makeFolder(dirName(path));
  try {
    const name = baseName(path);
    if ((await spelledIn(folder, name, wall.drive)) !== undefined) throw alreadyExists(path);
    const written = await writeThenPlace(folder, name, bytes, modifiedMs);
    await folder.sync();
    return entryOf(joinPath(folder.path, name), await settledStats(wall.drive, folder.at(name), written));
  } catch (error) {
    await undo();
    throw hasCode(error, 'EEXIST') ? alreadyExists(path) : storeError(error, path);
  } finally {
    await folder.close();
  }
}

/** @throws EEXIST when the name is taken */
export async function writeThenPlace(
  folder: Folder,
  name: string,
  bytes: Uint8Array,
  modifiedMs?: number,
): Promise<BigIntStats> {
  const temp = tempFileName();
  const dated = async (fd: number) => {
    if (modifiedMs === undefined) return false;
    await folder.drive.setModified(fd, modifiedMs);
    return true;
  };
  try {
    const written = await writeDurably(folder.drive, folder.at(temp), bytes, 0o666, dated);
    placeNew(folder.at(temp), folder.at(name));
    return written;
  } finally {
    await folder.drive.remove(folder.at(temp)).catch(() => undefined);
    releaseTempName(temp);
  }
}

/**
 * Creates a file with these bytes; it is on disk when this resolves.
 * @param mode permission bits before the umask
 * @param prepare receives the descriptor and the stats before the file is flushed; true when it changed
 *   either
 */
export async function writeDurably(
  drive: Drive,
  place: string,
  bytes: Uint8Array,
  mode: number,
  prepare?: (fd: number, written: BigIntStats) => Promise<boolean>,
): Promise<BigIntStats> {
  const fd = await drive.open(place, MAKE_FILE, mode);
  try {
    await drive.write(fd, bytes);
    const written = await drive.fstat(fd);
    const stats = (await prepare?.(fd, written)) ? await drive.fstat(fd) : written;
    await drive.flush(fd);
    return stats;
  } finally {
    await drive.close(fd);
  }
}
