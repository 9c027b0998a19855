import { etagOf } from '../notes/etag.ts';
import type { StoredFile } from './store.ts';

/** The version of a stored file: its bytes and the facts kept beside them. */
export function etagOfFile({ entry, bytes }: StoredFile): string {
  return etagOf(bytes, entry.facts);
}
