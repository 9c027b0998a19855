import { baseName, dirName } from '../../../notes/path.ts';
import { locateSettled, openStable } from '../read.ts';
import { type Containment, checkReadable, type Folder, type Located } from './contain.ts';
import type { OpenedFile } from './identity.ts';
import { openNow } from './read-plain.ts';

/** A file that was found and read. The caller must close `located.folder` and `old.fd`. */
export interface FoundOpen {
  readonly located: Located;
  readonly old: OpenedFile;
}

/**
 * Finds and reads a file and leaves it and its folder open: in one step for an ordinary file (see
 * `readPlain`), otherwise step by step, which also determines the error.
 *
 * @returns undefined when there is no such file
 * @throws LecternError `forbidden`, `invalid_path`, `too_large`, `unavailable`
 */
export async function findAndOpen(
  wall: Containment,
  path: string,
  maxBytes: number,
): Promise<FoundOpen | undefined> {
  checkReadable(path);
  const plain = await openPlain(wall, path, maxBytes);
  if (plain !== undefined) return plain;
  const located = await locateSettled(wall, path);
  if (located === undefined) return undefined;
  try {
    return { located, old: await openStable(wall, located, maxBytes) };
  } catch (error) {
    await located.folder.close();
    throw error;
  }
}

/** @returns undefined for any file that is not ordinary */
export async function openPlain(
  wall: Containment,
  path: string,
  maxBytes: number,
): Promise<FoundOpen | undefined> {
  if (!wall.anchored) return undefined;
  const name = baseName(path);
  const opened = await wall.drive.together(() => openBothNow(wall, dirName(path), name, maxBytes));
  if (opened === undefined) return undefined;
  const { folder, old } = opened;
  if (old !== undefined) {
    return { located: { folder, name, path, stats: old.stats, viaLink: false }, old };
  }
  await folder.close();
  return undefined;
}

function openBothNow(
  wall: Containment,
  folderPath: string,
  name: string,
  maxBytes: number,
): { readonly folder: Folder; readonly old: OpenedFile | undefined } | undefined {
  const folder = attempt(() => wall.folderNow(folderPath));
  // Makes sure that the folder is the expected one and that no link is followed from it.
  return folder && { folder, old: attempt(() => openNow(folder.at(name), maxBytes, () => true)) };
}

function attempt<T>(work: () => T | undefined): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
