import { fileKindOf } from '../../notes/path.ts';
import type { StoreEntry } from '../store.ts';
import type { FileMeta } from './api.ts';
import { versionOf } from './space.ts';

/** A file as an entry of the store port. */
export function entryOf({ name, size, created, lastModified }: FileMeta): StoreEntry {
  return {
    path: name,
    kind: fileKindOf(name),
    size,
    mtimeMs: lastModified,
    ctimeMs: lastModified,
    birthtimeMs: created || lastModified,
    version: versionOf({ size, lastModified }),
  };
}
