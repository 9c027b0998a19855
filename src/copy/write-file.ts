import { isLecternError } from '../errors.ts';
import { etagOf } from '../notes/etag.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import type { Store, StoredFile } from '../stores/store.ts';
import type { PlannedFile } from './places.ts';
import type { Prepared } from './prepare.ts';

/** The outcome of writing a file. */
export interface Written {
  /** `made` = written by this call; `there` = it existed already. */
  readonly outcome: 'made' | 'there';
  /** The file as read back. */
  readonly file: StoredFile;
}

/**
 * Writes a file at the destination and reads it back. An existing file is not overwritten, except the
 * incomplete rest of this file that an interrupted copy left.
 *
 * @param begun whether an earlier run has planned this file
 * @throws LecternError `exists` when another file is there; the errors of the store
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
    // The path may also belong to a folder.
    const there = await store.read(to).catch(() => undefined);
    if (there === undefined || etagOf(there.bytes) !== etagOf(bytes)) throw error;
    return { outcome: 'there', file: there };
  }
}

/** The file that an earlier run wrote; undefined when there is none. */
async function left(store: Store, to: string, id: string | undefined): Promise<StoredFile | undefined> {
  const path = id === undefined ? (await store.stat(to))?.path : await store.pathOfId?.(id);
  return path === undefined ? undefined : store.read(path);
}

/** Completes a file: a server that writes in place may have been interrupted after the first bytes. */
async function whole(store: Store, there: StoredFile, bytes: Uint8Array): Promise<StoredFile> {
  const { bytes: has, entry } = there;
  const isPart = has.length < bytes.length && etagOf(has) === etagOf(bytes.subarray(0, has.length));
  if (!isPart || store.kind === 'folder') return there;
  await store.replace(entry.path, bytes, { expectedEtag: etagOfFile(there) });
  return store.read(entry.path);
}
