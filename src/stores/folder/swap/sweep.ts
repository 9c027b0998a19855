import * as fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { baseName, dirName, pathKey } from '../../../notes/path.ts';
import type { Containment, Folder } from '../contain/contain.ts';
import { settleOldVersion, settleSwap } from './swap.ts';
import { isStale, isTempName, parseTempName } from './temp.ts';

/** A running process uses a temporary name for microseconds, longer on a busy computer. */
const HELD_MS = 2;

/**
 * Recovers files that a dead process left under temporary names; files of a running process are not touched.
 * @returns names in `folder` of versions that a crash had hidden and that exist again
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
    // A read-only vault, or another Lectern has recovered it already.
  }
  return [];
}

/**
 * For a missing file: whether a replace has removed it, so that looking again is worthwhile. A file of a dead
 * process is put back; for a running one this waits briefly.
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
