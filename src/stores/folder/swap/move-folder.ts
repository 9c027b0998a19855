import * as fs from 'node:fs/promises';
import { baseName, dirName } from '../../../notes/path.ts';
import { type Containment, checkReadable, checkWritable } from '../contain/contain.ts';
import { alreadyExists, forbidden, hasCode, notFound, storeError } from '../contain/errno.ts';
import { twinsOf } from '../contain/spelling.ts';

/**
 * Renames a folder with everything in it, hidden files included, in one step. An existing target is replaced
 * only when it contains no file. Parents of `to` are created. A symbolic link is not moved.
 */
export async function moveFolder(wall: Containment, from: string, to: string): Promise<void> {
  checkReadable(from);
  checkWritable(to);
  const source = await wall.folder(dirName(from));
  if (source === undefined) throw notFound(from);
  try {
    const stats = await fs.lstat(source.at(baseName(from))).catch((error: unknown) => {
      throw hasCode(error, 'ENOENT') ? notFound(from) : storeError(error, from);
    });
    if (stats.isSymbolicLink()) throw forbidden(from, 'is a symbolic link');
    if (!stats.isDirectory()) throw forbidden(from, 'is not a folder');
    const { folder, undo } = await wall.makeFolder(dirName(to));
    try {
      for (const name of [baseName(to), ...(await twinsOf(folder, baseName(to)))]) {
        const occupant = await fs.lstat(folder.at(name)).catch(() => undefined);
        // Another spelling of the folder itself, or one that differs in case only.
        if (!occupant || (occupant.ino === stats.ino && occupant.dev === stats.dev)) continue;
        // Empty folders, such as moves leave behind, do not block the path.
        if (!occupant.isDirectory()) throw alreadyExists(to);
        await removeEmptyFolders(folder.at(name), to);
      }
      await fs.rename(source.at(baseName(from)), folder.at(baseName(to)));
      await folder.sync();
      await source.sync();
    } catch (error) {
      await undo();
      throw hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR') ? alreadyExists(to) : storeError(error, to);
    } finally {
      await folder.close();
    }
  } finally {
    await source.close();
  }
}

/** @throws LecternError `exists`, before anything is removed, when it contains any file, hidden ones included */
async function removeEmptyFolders(place: string, path: string): Promise<void> {
  const folders = [place];
  for (const folder of folders) {
    for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) throw alreadyExists(path);
      folders.push(`${folder}/${entry.name}`);
    }
  }
  for (const folder of folders.reverse()) await fs.rmdir(folder);
}
