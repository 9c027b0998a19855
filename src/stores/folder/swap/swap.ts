import * as fs from 'node:fs/promises';
import { etagOf } from '../../../notes/etag.ts';
import { baseName } from '../../../notes/path.ts';
import type { Folder } from '../contain/contain.ts';
import { conflict, hasCode } from '../contain/errno.ts';
import { isSameInode } from '../contain/identity.ts';
import { placeNew } from '../contain/place.ts';
import { keepBeside } from './conflict-copy.ts';
import { releaseTempName, swapFolderName } from './temp.ts';

/** A version taken from its place again, because it turned out to be wrong there. */
export const TAKEN = '.taken';
const UNNAMED = 'Recovered note.md';

/** A hidden folder beside a note that holds a version while it has no place. */
export interface Swap {
  readonly folder: Folder;
  at(name: string): string;
  /** Removes the folder and what is left in it. */
  discard(): Promise<void>;
  /** Unless discarded: whatever is left and exists nowhere else is put back or kept. Never throws. */
  settle(): Promise<void>;
}

/** @param purpose etag of the version being replaced, or `move`: what a recovery has to know */
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
      // What cannot be settled now stays for the sweep of the next listing.
      await settleSwap(folder, name, purpose).catch(() => undefined);
      releaseTempName(name);
    },
  };
}

/**
 * Sorts out an unfinished replace or move, in this process or after a crash of another: a version
 * that has no other name goes back to its place, or, when another version is there, beside it.
 * @returns names in `folder` that are there again because of it
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
 * Sorts out a second name that a crash left of a version that was being replaced: it goes, unless somebody
 * wrote to the version before it lost its own name. Its name is not known here, only that it was a note.
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

/** @returns the name it was saved under, undefined when it exists elsewhere or is known to be replaced */
export async function settleVersion(
  folder: Folder,
  captured: string,
  name: string,
  purpose: string,
): Promise<string | undefined> {
  const version = await fs.lstat(captured, { bigint: true });
  const hasOtherName = version.nlink > 1n;
  // A move gives the file its new name before it takes the old one.
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
