import { isLecternError } from '../errors.ts';
import { etagOf } from '../notes/etag.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import type { Store, StoredFile } from '../stores/store.ts';
import type { PlannedFile } from './places.ts';
import type { Prepared } from './prepare.ts';

/** What became of a file. */
export interface Written {
  /** `made` by this call; `there` = it was there already, as it is to be. */
  readonly outcome: 'made' | 'there';
  /** As it is read back. */
  readonly file: StoredFile;
}

/**
 * Makes a file at the destination and reads it back. What is there already is never written over, but for the beginning
 * of this very file that an interrupted copy left.
 *
 * @param begun an earlier run has set out to make it
 * @throws LecternError `exists` when something else is there; as the store does
 */
export async function writeFile(
  store: Store,
  { to, id }: PlannedFile,
  { bytes, origin }: Prepared,
  begun: boolean,
): Promise<Written> {
  const made = begun ? await left(store, to, id) : undefined;
  if (made !== undefined) return { outcome: 'there', file: await whole(store, made, bytes) };
  try {
    const { path } = await store.create(to, bytes, origin);
    return { outcome: 'made', file: await store.read(path) };
  } catch (error) {
    if (!isLecternError(error) || error.code !== 'exists') throw error;
    // A folder may have the name.
    const there = await store.read(to).catch(() => undefined);
    if (there === undefined || etagOf(there.bytes) !== etagOf(bytes)) throw error;
    return { outcome: 'there', file: there };
  }
}

/** What an earlier run made of a file. */
async function left(store: Store, to: string, id: string | undefined): Promise<StoredFile | undefined> {
  const path = id === undefined ? (await store.stat(to))?.path : await store.pathOfId?.(id);
  return path === undefined ? undefined : store.read(path);
}

/** The file with all its bytes: a server that writes in place may have been left with the first of them. */
async function whole(store: Store, there: StoredFile, bytes: Uint8Array): Promise<StoredFile> {
  const { bytes: has, entry } = there;
  const isPart = has.length < bytes.length && etagOf(has) === etagOf(bytes.subarray(0, has.length));
  if (!isPart || store.kind === 'folder') return there;
  await store.replace(entry.path, bytes, { expectedEtag: etagOfFile(there) });
  return store.read(entry.path);
}
