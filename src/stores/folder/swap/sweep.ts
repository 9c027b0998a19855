import * as fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { baseName, dirName, pathKey } from '../../../notes/path.ts';
import type { Containment, Folder } from '../contain/contain.ts';
import { settleOldVersion, settleSwap } from './swap.ts';
import { isStale, isTempName, parseTempName } from './temp.ts';

/** A living process holds a note for microseconds; a busy computer may stretch that. */
const HELD_MS = 2;

/**
 * Sorts out what a process left under a temporary name when it died; leaves alone what a living one works on.
 * @returns names in `folder` of versions that a crash had hidden and that are there again
 */
export async function sweep(folder: Folder, name: string): Promise<readonly string[]> {
  try {
    const stats = await fs.lstat(folder.at(name));
    if (!isStale(name, Date.now() - stats.ctimeMs)) return [];
    const temp = parseTempName(name);
    if (temp?.kind === 'swap' && stats.isDirectory()) {
      return await settleSwap(folder, name, temp.purpose ?? 'move');
    }
    if (temp?.kind === 'old' && stats.isFile()) return await settleOldVersion(folder, name, temp.purpose);
    if (temp?.kind === 'tmp' && stats.isFile()) await fs.unlink(folder.at(name));
  } catch {
    // A read-only vault, or another Lectern swept it first.
  }
  return [];
}

/**
 * For a file that is not in its place: whether a replace has taken it away, so that it is worth looking
 * again. One that a dead process took away is put back; for a living one this waits a moment.
 */
export async function isBeingReplaced(wall: Containment, path: string): Promise<boolean> {
  const folder = await wall.folder(dirName(path));
  if (folder === undefined) return false;
  try {
    const key = pathKey(baseName(path));
    for (const name of await fs.readdir(folder.at(''))) {
      if (!isTempName(name) || parseTempName(name)?.kind !== 'swap') continue;
      const held = await fs.readdir(folder.at(name)).catch(() => []);
      if (!held.some((entry) => pathKey(entry) === key)) continue;
      if ((await sweep(folder, name)).length === 0) await delay(HELD_MS);
      return true;
    }
    return false;
  } catch {
    return false;
  } finally {
    await folder.close();
  }
}
