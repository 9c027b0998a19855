import * as fs from 'node:fs/promises';
import { etagOf } from '../../../notes/etag.ts';
import { baseName } from '../../../notes/path.ts';
import type { Folder } from '../contain/contain.ts';
import { conflict, hasCode } from '../contain/errno.ts';
import { isSameInode } from '../contain/identity.ts';
import { placeNew } from '../contain/place.ts';
import { keepBeside } from './conflict-copy.ts';
import { releaseTempName, swapFolderName } from './temp.ts';

/** A version removed again from its path because it is the wrong one there. */
export const TAKEN = '.taken';
const UNNAMED = 'Recovered note.md';

/** A hidden folder beside a note that holds a version while it is not in place. */
export interface Swap {
  readonly folder: Folder;
  at(name: string): string;
  /** Removes the folder with its contents. */
  discard(): Promise<void>;
  /** Unless discarded: contents that exist nowhere else are put back or kept as a copy. Never throws. */
  settle(): Promise<void>;
}

/** @param purpose etag of the version being replaced, or `move`: recovery needs it */
export async function openSwap(folder: Folder, purpose: string): Promise<Swap> {
  const name = swapFolderName(purpose);
  const place = folder.at(name);
  let open = true;
  try {
    await fs.mkdir(place, 0o700);
  } catch (error) {
    releaseTempName(name);
    throw error;
  }
  return {
    folder,
    at: (entry) => `${place}/${entry}`,
    discard: async () => {
      open = false;
      await fs.rm(place, { recursive: true, force: true });
      releaseTempName(name);
    },
    settle: async () => {
      if (!open) return;
      open = false;
      // Anything not settled now stays for the sweep of the next listing.
      await settleSwap(folder, name, purpose).catch(() => undefined);
      releaseTempName(name);
    },
  };
}

/**
 * Recovers an unfinished replace or move of this process or of a crashed one: a version without another name
 * returns to its path or, when another version is there, is kept beside it.
 * @returns names in `folder` that exist again as a result
 */
export async function settleSwap(folder: Folder, swapName: string, purpose: string): Promise<string[]> {
  const saved: string[] = [];
  const place = folder.at(swapName);
  const names = await fs.readdir(place);
  const name = names.find((entry) => !entry.startsWith('.'));
  if (name !== undefined) {
    const as = await settleVersion(folder, `${place}/${name}`, name, purpose);
    if (as !== undefined) saved.push(as);
  }
  if (names.includes(TAKEN)) {
    const taken = `${place}/${TAKEN}`;
    if ((await fs.lstat(taken)).nlink === 1) {
      saved.push(baseName(await keepBeside(folder, name ?? UNNAMED, { place: taken })));
    }
  }
  await fs.rm(place, { recursive: true, force: true });
  await folder.sync();
  return saved;
}

/**
 * Recovers the second name that a crash left of a version being replaced: it is removed, unless the version
 * was written before it lost its own name. That name is unknown here, except that it was a note's.
 * @returns the name it was saved under
 */
export async function settleOldVersion(
  folder: Folder,
  place: string,
  etag: string | undefined,
): Promise<string[]> {
  const at = folder.at(place);
  if ((await fs.lstat(at)).nlink === 1 && etagOf(await fs.readFile(at)) !== etag) {
    return [baseName(await keepBeside(folder, UNNAMED, { place: at }))];
  }
  await fs.unlink(at);
  await folder.sync();
  return [];
}

/** @returns the name it was saved under; undefined when it exists elsewhere or was replaced on purpose */
export async function settleVersion(
  folder: Folder,
  captured: string,
  name: string,
  purpose: string,
): Promise<string | undefined> {
  const version = await fs.lstat(captured, { bigint: true });
  const hasOtherName = version.nlink > 1n;
  // A move creates the new name before it removes the old one.
  if (purpose === 'move' && hasOtherName) return undefined;
  for (let attempt = 0; attempt < 3; attempt++) {
    const current = await fs.lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (current !== undefined) {
      if (hasOtherName || isSameInode(current, version)) return undefined;
      if (purpose !== 'move' && etagOf(await fs.readFile(captured)) === purpose) return undefined;
      return baseName(await keepBeside(folder, name, { place: captured }));
    }
    try {
      placeNew(captured, folder.at(name));
      return name;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  throw conflict(name);
}
