import { linkSync, lstatSync, renameSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { baseName, dirName, joinPath } from '../../../notes/path.ts';
import type { MoveFileOptions, StoreEntry } from '../../store.ts';
import {
  type Containment,
  checkReadable,
  checkWritable,
  type Folder,
  type Located,
} from '../contain/contain.ts';
import {
  alreadyExists,
  conflict,
  forbidden,
  hasCode,
  isLinkUnsupported,
  storeError,
} from '../contain/errno.ts';
import { entryOf, isSameInode } from '../contain/identity.ts';
import { takeAway } from '../contain/place.ts';
import { hasExactName, spelledIn } from '../contain/spelling.ts';
import { cloudPlaceholder } from '../icloud.ts';
import { absent, locateSettled } from '../read.ts';
import { openSwap, TAKEN } from './swap.ts';
import { releaseTempName, tempFileName } from './temp.ts';

/** A regular file by name in an opened folder. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
}

/**
 * Renames a file without ever overwriting one. Parents of `to` are created. A symbolic link is not moved,
 * because its target would move.
 */
export async function moveFile(
  wall: Containment,
  from: string,
  to: string,
  options: MoveFileOptions = {},
): Promise<StoreEntry> {
  checkReadable(from);
  checkWritable(to);
  const source = await locateForRemoval(wall, from);
  try {
    const placeholder = await cloudPlaceholder(wall, to);
    if (placeholder !== undefined) throw placeholder;
    const { folder, undo } = await wall.makeFolder(dirName(to));
    try {
      const path = joinPath(folder.path, baseName(to));
      if (path !== source.path) await moveTo(wall, source, { folder, name: baseName(to) }, to, options);
      return entryOf(path, await fs.lstat(folder.at(baseName(to)), { bigint: true }));
    } catch (error) {
      await undo();
      throw hasCode(error, 'EEXIST') ? alreadyExists(to) : storeError(error, to);
    } finally {
      await folder.close();
    }
  } finally {
    await source.folder.close();
  }
}

/** A file that may be renamed: one that was not reached through a link. */
export async function locateForRemoval(wall: Containment, path: string): Promise<Located> {
  const located = await locateSettled(wall, path);
  if (located === undefined) throw await absent(wall, path);
  if (located.viaLink) {
    await located.folder.close();
    throw forbidden(path, `is a symbolic link to ${JSON.stringify(located.path)}; name that file instead`);
  }
  return located;
}

async function moveTo(
  wall: Containment,
  source: Located,
  target: Place,
  to: string,
  { interrupted = false }: MoveFileOptions,
): Promise<void> {
  const occupant = await spelledIn(target.folder, target.name, wall.drive);
  if (occupant !== undefined) {
    if (!isSameInode(occupant.stats, source.stats)) throw alreadyExists(to);
    if (!(await isRespelling(source, target))) {
      if (!interrupted) throw alreadyExists(to);
      await dropSource(source, target, await statBig(source));
      await syncBoth(source, target);
      return;
    }
    // The drive treats both spellings as one name; the rename changes only the spelling.
    await fs.rename(source.folder.at(source.name), target.folder.at(target.name));
    await target.folder.sync();
    return;
  }
  await relocate(source, target);
}

/** One file whose single name matches two spellings, as opposed to a hard link with a second name. */
async function isRespelling(source: Located, target: Place): Promise<boolean> {
  if (source.folder.path !== target.folder.path) return false;
  return source.name === target.name || !(await hasExactName(target.folder, target.name));
}

/**
 * Creates the new name before removing the old one, so that the file has a name at every moment.
 * @throws EEXIST when the target is taken; LecternError `conflict` when the source was saved meanwhile
 */
export async function relocate(source: Place, target: Place): Promise<void> {
  const from = source.folder.at(source.name);
  const to = target.folder.at(target.name);
  const stats = await fs.lstat(from, { bigint: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if (hasCode(error, 'EXDEV')) return copyAcross(source, target);
    if (!isLinkUnsupported(error)) throw error;
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) {
      throw Object.assign(new Error(`exists: ${to}`), { code: 'EEXIST' });
    }
    renameSync(from, to);
    await syncBoth(source, target);
    return;
  }
  await dropSource(source, target, stats);
  await syncBoth(source, target);
}

async function dropSource(
  source: Place,
  target: Place,
  moved: Awaited<ReturnType<typeof statBig>>,
): Promise<void> {
  const swap = await openSwap(source.folder, 'move').catch(async (error: unknown) => {
    await fs.rm(target.folder.at(target.name));
    throw error;
  });
  try {
    if (takeAway(source.folder.at(source.name), swap.at(source.name), moved)) {
      await swap.discard();
      return;
    }
    // An editor saved a new version under the old name: that is the note now, and it stays there.
    if (takeAway(target.folder.at(target.name), swap.at(TAKEN), moved)) {
      await fs.rm(swap.at(TAKEN), { force: true });
    }
    throw conflict(joinPath(source.folder.path, source.name));
  } finally {
    await swap.settle();
  }
}

/** The vault spans several drives: copy, flush, then remove the source if it was not changed. */
async function copyAcross(source: Place, target: Place): Promise<void> {
  const temp = tempFileName();
  try {
    const before = await statBig(source);
    await fs.copyFile(source.folder.at(source.name), target.folder.at(temp), fs.constants.COPYFILE_EXCL);
    const handle = await fs.open(target.folder.at(temp), 'r+');
    try {
      await handle.utimes(Number(before.atimeNs) / 1e9, Number(before.mtimeNs) / 1e9);
      await handle.sync();
    } finally {
      await handle.close();
    }
    linkSync(target.folder.at(temp), target.folder.at(target.name));
    await target.folder.sync();
    const after = await statBig(source);
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || !isSameInode(after, before)) {
      await fs.rm(target.folder.at(target.name));
      throw conflict(source.name);
    }
    await fs.unlink(source.folder.at(source.name));
    await syncBoth(source, target);
  } finally {
    await fs.rm(target.folder.at(temp), { force: true }).catch(() => undefined);
    releaseTempName(temp);
  }
}

function statBig({ folder, name }: Place) {
  return fs.lstat(folder.at(name), { bigint: true });
}

async function syncBoth(source: Place, target: Place): Promise<void> {
  await target.folder.sync();
  if (target.folder.path !== source.folder.path) await source.folder.sync();
}
