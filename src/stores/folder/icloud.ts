import type { BigIntStats } from 'node:fs';
import type { LecternError } from '../../errors.ts';
import { baseName, dirName, joinPath } from '../../notes/path.ts';
import { notDownloaded } from '../not-downloaded.ts';
import type { StoreEntry } from '../store.ts';
import type { Containment } from './contain/contain.ts';
import { hasCode, storeError } from './contain/errno.ts';
import { entryOf } from './contain/identity.ts';

/** While iCloud holds a file's text, `.Note.md.icloud` stands for `Note.md`. */
const STUB = /^\.([^.].*)\.icloud$/s;

/** The path of the file a stub stands for; undefined for any other name. */
export function standsFor(path: string): string | undefined {
  const name = STUB.exec(baseName(path))?.[1];
  return name === undefined ? undefined : joinPath(dirName(path), name);
}

/** @param stub stats of the stub; its size is not the file's */
export function placeholderOf(path: string, stub: BigIntStats): StoreEntry {
  return { ...entryOf(path, stub), size: 0, isPlaceholder: true };
}

/** The file at this path that was not downloaded yet; undefined when there is no stub for it. */
export async function findPlaceholder(wall: Containment, path: string): Promise<StoreEntry | undefined> {
  const folder = await wall.folder(dirName(path));
  if (folder === undefined) return undefined;
  try {
    const name = baseName(path);
    for (const spelling of new Set([name, name.normalize('NFC'), name.normalize('NFD')])) {
      const stub = await wall.drive.lstat(folder.at(`.${spelling}.icloud`)).catch((error: unknown) => {
        if (hasCode(error, 'ENOENT', 'ENAMETOOLONG')) return undefined;
        throw storeError(error, path);
      });
      if (stub?.isFile()) return placeholderOf(joinPath(folder.path, spelling), stub);
    }
    return undefined;
  } finally {
    await folder.close();
  }
}

/** An error when `path` is an iCloud file that was not downloaded. */
export async function cloudPlaceholder(wall: Containment, path: string): Promise<LecternError | undefined> {
  const placeholder = await findPlaceholder(wall, path);
  return placeholder && notDownloaded(placeholder.path, 'iCloud');
}
