import type { FolderRecord } from '../../vault/folder-record.ts';
import type { ToolContext, VaultLookups } from '../catalogue.ts';
import { ToolError } from './failures.ts';
import { pathOfId } from './ids.ts';

/** Folders that contain notes at any depth, and empty ones; not those that contain only other files. */
export async function notebooks(session: VaultLookups): Promise<readonly FolderRecord[]> {
  await session.untilIndexed();
  return (await session.folders()).filter(({ notesBelow, filesBelow }) => notesBelow > 0 || filesBelow === 0);
}

/** The folder of a notebook; undefined for an unknown id. */
export async function folderOfId(
  { vault }: Pick<ToolContext, 'vault'>,
  id: string,
): Promise<string | undefined> {
  const session = await vault();
  const path = await pathOfId(session, id);
  if (path === undefined) return undefined;
  return (await notebooks(session)).find((folder) => folder.path === path)?.path;
}

/** @throws ToolError for an unknown id */
export async function requiredFolder(
  context: Pick<ToolContext, 'vault'>,
  id: string,
  what = 'Notebook',
): Promise<string> {
  const folder = await folderOfId(context, id);
  if (folder === undefined) throw new ToolError(`${what} not found: ${id.slice(0, 200)}`);
  return folder;
}

/** The notebook created last, which Joplin uses for new notes. */
export function newest(folders: readonly FolderRecord[]): FolderRecord | undefined {
  return folders.reduce<FolderRecord | undefined>(
    (best, folder) => ((folder.birthtimeMs ?? 0) > (best?.birthtimeMs ?? -1) ? folder : best),
    undefined,
  );
}
