import { LecternError } from '../errors.ts';
import { baseName, dirName, joinPath, pathKey } from '../notes/path.ts';
import type { Placement } from './store.ts';

/** The folders of a store on a server. */
export interface KnownFolders {
  hasFolder(path: string): boolean;
  /** Folders that differ from this path in case and Unicode form at most. */
  foldersLike(path: string): readonly string[];
}

/** All folders that contain a file. */
export class FoldersOfFiles implements KnownFolders {
  readonly #byKey = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    const seen = new Set<string>();
    for (const path of paths) {
      for (let folder = dirName(path); folder !== '' && !seen.has(folder); folder = dirName(folder)) {
        seen.add(folder);
        const key = pathKey(folder);
        this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), folder]);
      }
    }
  }

  hasFolder(path: string): boolean {
    return this.foldersLike(path).includes(path);
  }

  foldersLike(path: string): readonly string[] {
    return this.#byKey.get(pathKey(path)) ?? [];
  }
}

/**
 * The path of a new file among these folders, see `Store.placeFor`.
 * @throws LecternError `ambiguous` when several folders match a name and none has exactly that name
 */
export function placeAmong(folders: KnownFolders, path: string): Placement {
  const { path: folder, madeFolder } = folderAmong(folders, dirName(path), path);
  return { path: joinPath(folder, baseName(path)), madeFolder };
}

function folderAmong(folders: KnownFolders, path: string, asked: string): Placement {
  if (path === '' || folders.hasFolder(path)) return { path, madeFolder: undefined };
  const above = folderAmong(folders, dirName(path), asked);
  const place = joinPath(above.path, baseName(path));
  if (above.madeFolder !== undefined) return { path: place, madeFolder: above.madeFolder };
  if (folders.hasFolder(place)) return { path: place, madeFolder: undefined };
  const twins = folders.foldersLike(place).filter((other) => dirName(other) === above.path);
  const [twin] = twins;
  if (twins.length > 1)
    throw new LecternError('ambiguous', `${JSON.stringify(asked)} may be in one of ${twins.join(', ')}.`, {
      details: { path: asked, candidates: twins },
      next: `Call again with ${twin}.`,
    });
  return twin === undefined ? { path: place, madeFolder: place } : { path: twin, madeFolder: undefined };
}
