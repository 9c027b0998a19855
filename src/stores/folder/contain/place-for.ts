import * as fs from 'node:fs/promises';
import { LecternError } from '../../../errors.ts';
import { baseName, dirName, joinPath } from '../../../notes/path.ts';
import type { Placement } from '../../store.ts';
import { type Containment, checkReadable, checkWritable, rootGone } from './contain.ts';
import { hasCode, storeError } from './errno.ts';

/** The path a new file would get: existing folders keep their own spelling, and none is created. */
export async function placeFor(wall: Containment, path: string): Promise<Placement> {
  checkWritable(path);
  try {
    const { path: folder, madeFolder } = await folderFor(wall, dirName(path));
    return { path: joinPath(folder, baseName(path)), madeFolder };
  } catch (error) {
    throw storeError(error, path);
  }
}

async function folderFor(wall: Containment, path: string): Promise<Placement> {
  const there = await wall.folder(path);
  if (there !== undefined) {
    await there.close();
    return { path: there.path, madeFolder: undefined };
  }
  if (path === '') throw rootGone(wall.root);
  const above = await folderFor(wall, dirName(path));
  const asked = joinPath(above.path, baseName(path));
  if (above.madeFolder !== undefined) return { path: asked, madeFolder: above.madeFolder };
  const twin = await twinIn(wall, above.path, baseName(path));
  if (twin === undefined) return { path: asked, madeFolder: asked };
  const folder = await wall.folder(twin);
  if (folder === undefined) {
    throw new LecternError(
      'invalid_path',
      `${JSON.stringify(twin)} is a file, so there can be no folder ${asked}.`,
      {
        details: { path: asked },
        next: 'Choose another name for the folder.',
      },
    );
  }
  await folder.close();
  return { path: folder.path, madeFolder: undefined };
}

async function twinIn(wall: Containment, folder: string, name: string): Promise<string | undefined> {
  const parent = await wall.folder(folder);
  try {
    const twin = parent && (await wall.twin(parent, name));
    return twin === undefined ? undefined : joinPath(folder, twin);
  } finally {
    await parent?.close();
  }
}

/** Removes an empty folder and its empty parents, up to `top`; stops at the first that is not empty. */
export async function pruneFolders(wall: Containment, folder: string, top: string): Promise<void> {
  checkReadable(top);
  for (let path = folder; path === top || path.startsWith(`${top}/`); path = dirName(path)) {
    const parent = await wall.folder(dirName(path));
    if (parent === undefined) return;
    try {
      await fs.rmdir(parent.at(baseName(path)));
      await parent.sync();
    } catch (error) {
      // Gone already; its parents may still be empty.
      if (!hasCode(error, 'ENOENT')) return;
    } finally {
      await parent.close();
    }
  }
}
