import type { BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { baseName, dirName } from '../../notes/path.ts';
import type { StoreEntry } from '../store.ts';
import { type Containment, checkWritable, type Folder } from './contain.ts';
import { alreadyExists, hasCode, storeError } from './errno.ts';
import { entryOf, settledStats } from './identity.ts';
import { placeNew } from './place.ts';
import { cloudPlaceholder } from './read.ts';
import { spelledIn } from './spelling.ts';
import { releaseTempName, tempFileName } from './temp.ts';

/**
 * Writes a file that must not exist: complete and flushed under a temporary name first, then given
 * its name by `link`, which the kernel refuses when the name is taken.
 */
export async function createFile(wall: Containment, path: string, bytes: Uint8Array): Promise<StoreEntry> {
  checkWritable(path);
  const placeholder = await cloudPlaceholder(wall, path);
  if (placeholder !== undefined) throw placeholder;
  const { folder, undo } = await wall.makeFolder(dirName(path));
  try {
    const name = baseName(path);
    if ((await spelledIn(folder, name, wall.drive)) !== undefined) throw alreadyExists(path);
    const written = await writeThenPlace(folder, name, bytes);
    await folder.sync();
    const real = folder.path === '' ? name : `${folder.path}/${name}`;
    return entryOf(real, await settledStats(folder.at(name), written));
  } catch (error) {
    await undo();
    throw hasCode(error, 'EEXIST') ? alreadyExists(path) : storeError(error, path);
  } finally {
    await folder.close();
  }
}

/** @throws EEXIST when the name is taken */
export async function writeThenPlace(folder: Folder, name: string, bytes: Uint8Array): Promise<BigIntStats> {
  const temp = tempFileName();
  try {
    await writeDurably(folder.at(temp), bytes, 0o666);
    const written = await fs.lstat(folder.at(temp), { bigint: true });
    placeNew(folder.at(temp), folder.at(name));
    return written;
  } finally {
    await fs.rm(folder.at(temp), { force: true }).catch(() => undefined);
    releaseTempName(temp);
  }
}

/**
 * A new file with these bytes, on disk when this returns.
 * @param mode permission bits before the umask
 */
export async function writeDurably(
  place: string,
  bytes: Uint8Array,
  mode: number,
  prepare?: (handle: fs.FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await fs.open(place, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    await prepare?.(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
