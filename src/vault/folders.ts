import { dirName } from '../notes/path.ts';
import type { Access } from './access.ts';
import type { FolderRecord } from './folder-record.ts';
import type { VaultParts } from './parts.ts';

/**
 * The folders a caller sees: those with a visible file at any depth and, where no rule can hide files below
 * them, empty ones.
 */
export async function listFolders(
  { reader, store, listFilter }: Pick<VaultParts, 'reader' | 'store' | 'listFilter'>,
  access: Access,
): Promise<readonly FolderRecord[]> {
  const visible = listFilter(access);
  const counts = await (await reader()).folders(visible);
  const records = new Map<string, { notes: number; files: number; filesBelow: number; notesBelow: number }>();
  for (const { path, notes, files } of counts) {
    if (path === '') continue;
    for (let at = path; at !== ''; at = dirName(at)) {
      const record = records.get(at) ?? { notes: 0, files: 0, filesBelow: 0, notesBelow: 0 };
      if (at === path) Object.assign(record, { notes, files });
      record.filesBelow += files;
      record.notesBelow += notes;
      records.set(at, record);
    }
  }
  const times = new Map<string, number>();
  const isSeen = visible ?? { test: () => true };
  for (const { path, birthtimeMs, isEmpty } of (await store.folders?.()) ?? []) {
    times.set(path, birthtimeMs);
    if (!isEmpty || records.has(path)) continue;
    if (access.dividesBelow(path) || !isSeen.test(`${path}/x.md`)) continue;
    records.set(path, { notes: 0, files: 0, filesBelow: 0, notesBelow: 0 });
  }
  return [...records]
    .map(([path, record]) => ({ path, ...record, birthtimeMs: times.get(path) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
