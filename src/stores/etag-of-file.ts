import { etagOf } from '../notes/etag.ts';
import type { StoredFile } from './store.ts';

/** The version of a file as it is stored: its bytes, and the facts the store keeps beside them. */
export function etagOfFile({ entry, bytes }: StoredFile): string {
  return etagOf(bytes, entry.facts);
}
