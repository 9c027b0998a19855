import type { BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { pathKey } from '../../../notes/path.ts';
import type { Drive } from './drive.ts';
import { hasCode } from './errno.ts';

export interface Spelled {
  /** The name in its on-disk spelling. */
  readonly name: string;
  readonly stats: BigIntStats;
}

/** Folders whose names fold case and Unicode form show the true spelling only through `realpath`. */
const FOLDS_NAMES = process.platform === 'darwin' || process.platform === 'win32';

/**
 * The entry of a folder with this name, else with an NFC-equal name: macOS tools write NFD, people and agents
 * type NFC, and both mean the same file.
 */
export async function spelledIn(
  folder: { at(name: string): string },
  name: string,
  drive: Drive,
): Promise<Spelled | undefined> {
  const lstat = (place: string) =>
    drive.lstat(place).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    });
  const exact = await lstat(folder.at(name));
  if (exact !== undefined) {
    if (!FOLDS_NAMES || exact.isSymbolicLink()) return { name, stats: exact };
    return { name: (await trueName(folder.at(name))) ?? name, stats: exact };
  }
  const composed = name.normalize('NFC');
  const decomposed = name.normalize('NFD');
  if (composed === decomposed) return undefined;
  for (const candidate of [composed, decomposed]) {
    const stats = candidate === name ? undefined : await lstat(folder.at(candidate));
    if (stats !== undefined) return { name: candidate, stats };
  }
  // Mixed forms are rare enough to read every name for them.
  for await (const entry of await fs.opendir(folder.at(''), { bufferSize: 256 })) {
    if (entry.name.normalize('NFC') !== composed) continue;
    const stats = await lstat(folder.at(entry.name));
    if (stats !== undefined) return { name: entry.name, stats };
  }
  return undefined;
}

/** Names in a folder that differ from this one in case or Unicode form only. If some are folders, only those. */
export async function twinsOf(folder: { at(name: string): string }, name: string): Promise<string[]> {
  const key = pathKey(name);
  const entries = await fs.readdir(folder.at(''), { withFileTypes: true });
  const twins = entries.filter((entry) => entry.name !== name && pathKey(entry.name) === key);
  const folders = twins.filter((entry) => !entry.isFile());
  return (folders.length > 0 ? folders : twins).map((entry) => entry.name).sort();
}

/** True when the folder has an entry with exactly this spelling, even where names fold case. */
export async function hasExactName(folder: { at(name: string): string }, name: string): Promise<boolean> {
  for await (const entry of await fs.opendir(folder.at(''), { bufferSize: 256 })) {
    if (entry.name === name) return true;
  }
  return false;
}

async function trueName(path: string): Promise<string | undefined> {
  const real = await fs.realpath(path).catch(() => undefined);
  return real?.split(/[\\/]/).at(-1);
}
