import * as fs from 'node:fs/promises';
import { dirName, readablePathProblem } from '../../notes/path.ts';
import type { FolderEntry } from '../store.ts';
import { type Containment, rootGone } from './contain/contain.ts';
import { storeError } from './contain/errno.ts';

const AT_ONCE = 8;

export interface FolderOptions {
  readonly ignore?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Every visible folder below the vault's root that is not a link; files are not looked at. */
export async function listFolders(
  wall: Containment,
  { ignore, signal }: FolderOptions,
): Promise<readonly FolderEntry[]> {
  const found: { readonly path: string; readonly birthtimeMs: number }[] = [];
  const filled = new Set<string>();
  const waiting = [''];
  const look = async (path: string): Promise<void> => {
    signal?.throwIfAborted();
    const folder = await wall.folder(path);
    if (folder === undefined && path === '') throw rootGone(wall.root);
    // Removed, or replaced by a link, since its parent was read.
    if (folder === undefined || folder.path !== path) return await folder?.close();
    try {
      if (path !== '') {
        const { birthtimeMs, ctimeMs } = await fs.stat(folder.at(''));
        found.push({ path, birthtimeMs: birthtimeMs > 0 ? birthtimeMs : ctimeMs });
      }
      for (const entry of await fs.readdir(folder.at(''), { withFileTypes: true })) {
        const { name } = entry;
        const inside = path === '' ? name : `${path}/${name}`;
        if (name.startsWith('.') || name.includes('\\') || readablePathProblem(name) !== undefined) continue;
        if (ignore?.(inside) === true) continue;
        if (entry.isDirectory()) waiting.push(inside);
        else filled.add(path);
      }
    } catch (error) {
      if (path === '') throw storeError(error, path);
    } finally {
      await folder.close();
    }
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(0, AT_ONCE).map(look));
  for (const start of [...filled]) for (let path = start; path !== ''; path = dirName(path)) filled.add(path);
  return found.map((folder) => ({ ...folder, isEmpty: !filled.has(folder.path) }));
}
