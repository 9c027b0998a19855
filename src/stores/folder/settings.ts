import { type BigIntStats, constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { LecternError } from '../../errors.ts';
import { baseName, dirName } from '../../notes/path.ts';
import type { Containment } from './contain/contain.ts';
import { hasCode, storeError } from './contain/errno.ts';

/** Settings of note programs stored in the vault: read, never written, never notes. */
const SETTING = /^\.[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+\.json$|^logseq\/config\.edn$/;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Bytes of `.obsidian/app.json` and the like; undefined when there is none, or it is not an ordinary file.
 * @throws LecternError `forbidden` for any other path, `unavailable`
 */
export async function readSetting(wall: Containment, path: string): Promise<Uint8Array | undefined> {
  if (!SETTING.test(path) || path.startsWith('.git/') || path.startsWith('.trash/')) {
    throw new LecternError('forbidden', `${JSON.stringify(path)} is not a settings file.`, {
      details: { path },
    });
  }
  const folder = await wall.folder(dirName(path), true);
  if (folder === undefined) return undefined;
  try {
    const place = folder.at(baseName(path));
    const stats: BigIntStats = await fs.lstat(place, { bigint: true });
    if (!stats.isFile() || stats.size > BigInt(MAX_BYTES)) return undefined;
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await fs.open(place, flags);
    try {
      return new Uint8Array(await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP')) return undefined;
    throw storeError(error, path);
  } finally {
    await folder.close();
  }
}

/**
 * Names at the top of the vault, dot folders included.
 * @throws LecternError `unavailable`
 */
export async function topNames(wall: Containment): Promise<readonly string[]> {
  try {
    return await fs.readdir(wall.root);
  } catch (error) {
    throw storeError(error, '');
  }
}
