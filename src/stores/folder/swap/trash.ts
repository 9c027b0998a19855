import * as fs from 'node:fs/promises';
import { LecternError } from '../../../errors.ts';
import { baseName, dirName, joinPath, readablePathProblem } from '../../../notes/path.ts';
import type { StoreEntry } from '../../store.ts';
import { type Containment, checkWritable } from '../contain/contain.ts';
import { alreadyExists, forbidden, hasCode, notFound, storeError } from '../contain/errno.ts';
import { entryOf, specialKind } from '../contain/identity.ts';
import { spelledIn } from '../contain/spelling.ts';
import { placeNumbered } from './conflict-copy.ts';
import { locateForRemoval, relocate } from './move.ts';

/** The trash Obsidian uses when set to keep deleted files in the vault: flat, base names only. */
export const TRASH = '.trash';

/** @returns `.trash/Name.md`, numbered ` 2`, ` 3`, … when the name is taken there */
export async function trashFile(wall: Containment, path: string): Promise<{ trashPath: string }> {
  const source = await locateForRemoval(wall, path);
  try {
    const { folder } = await wall.makeFolder(TRASH, true);
    try {
      const name = await placeNumbered(source.name, '', (candidate) =>
        relocate(source, { folder, name: candidate }),
      );
      return { trashPath: `${TRASH}/${name}` };
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw storeError(error, path);
  } finally {
    await source.folder.close();
  }
}

/** Restores a trashed file to `to`, which must not exist. Parents are created. */
export async function restoreFile(wall: Containment, trashPath: string, to: string): Promise<StoreEntry> {
  checkWritable(to);
  const inTrash = trashPath.startsWith(`${TRASH}/`) ? trashPath.slice(TRASH.length + 1) : undefined;
  if (inTrash === undefined || readablePathProblem(inTrash) !== undefined) {
    throw new LecternError('invalid_path', `${JSON.stringify(trashPath)} is not a path in the trash.`, {
      details: { path: trashPath },
      next: 'Pass a path from the list of the trash.',
    });
  }
  const source = await wall.folder(dirName(trashPath), true);
  if (source === undefined) throw notFound(trashPath);
  try {
    const found = await spelledIn(source, baseName(trashPath), wall.drive);
    if (found === undefined) throw notFound(trashPath);
    if (!found.stats.isFile()) throw forbidden(trashPath, `is ${specialKind(found.stats)}`);
    const { folder, undo } = await wall.makeFolder(dirName(to));
    try {
      const name = baseName(to);
      if ((await spelledIn(folder, name, wall.drive)) !== undefined) throw alreadyExists(to);
      await relocate({ folder: source, name: found.name }, { folder, name });
      return entryOf(joinPath(folder.path, name), await fs.lstat(folder.at(name), { bigint: true }));
    } catch (error) {
      await undo();
      throw hasCode(error, 'EEXIST') ? alreadyExists(to) : storeError(error, to);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw storeError(error, trashPath);
  } finally {
    await source.close();
  }
}
