import { isLecternError } from '../../errors.ts';
import type { IndexInput } from '../../index/note-index.ts';
import { NOT_DOWNLOADED } from '../../stores/not-downloaded.ts';
import { isAway } from '../../stores/presence.ts';
import type { Store, StoredFile, StoreEntry, StoreProblem } from '../../stores/store.ts';

/** The index entry of one file, and a problem to report about it. */
export interface Digest {
  readonly input: IndexInput;
  readonly problem: StoreProblem | undefined;
  /** The server of the notes went away, and this is what it did last: nothing is known of the file. */
  readonly away?: string;
}

/** Parses one file into its index entry. Pure, never throws. */
export type Digester = (entry: StoreEntry, bytes: Uint8Array) => Digest;

const READS_AT_ONCE = 16;

/**
 * Reads and digests files. Never rejects: an unreadable file is indexed by name and reported, so that links
 * to it resolve. Files removed meanwhile are left out, and those of a server that is away say so.
 */
export async function readDigests(
  store: Store,
  digester: Digester,
  entries: readonly StoreEntry[],
): Promise<readonly Digest[]> {
  const digests: (Digest | undefined)[] = [];
  for (let at = 0; at < entries.length; at += READS_AT_ONCE) {
    const slice = entries.slice(at, at + READS_AT_ONCE);
    const files = await readTogether(store, slice);
    digests.push(
      ...(await Promise.all(slice.map((entry) => readDigest(store, digester, entry, files.get(entry.path))))),
    );
  }
  return digests.filter((digest) => digest !== undefined);
}

/** For stores that read several files at once; files missing from the result are read one by one. */
async function readTogether(
  store: Store,
  entries: readonly StoreEntry[],
): Promise<ReadonlyMap<string, StoredFile>> {
  const wanted = entries.filter((entry) => entry.kind !== 'attachment' && !entry.isPlaceholder);
  if (store.readMany === undefined || wanted.length < 2) return new Map();
  const files = await store.readMany(wanted.map(({ path }) => path)).catch(() => []);
  return new Map(files.map((file) => [file.entry.path, file]));
}

async function readDigest(
  store: Store,
  digester: Digester,
  entry: StoreEntry,
  read?: StoredFile,
): Promise<Digest | undefined> {
  const unread = { entry, etag: undefined };
  if (entry.isPlaceholder) {
    // Reading it would download it, and in the end the whole drive.
    return {
      input: unread,
      problem: { path: entry.path, code: 'cloud_placeholder', message: NOT_DOWNLOADED },
    };
  }
  if (entry.kind === 'attachment') return { input: unread, problem: undefined };
  try {
    const file = read ?? (await store.read(entry.path));
    return digester(file.entry, file.bytes);
  } catch (error) {
    if (isLecternError(error) && error.code === 'not_found') return undefined;
    if (isAway(error)) return { input: unread, problem: undefined, away: (error as Error).message };
    const message = isLecternError(error) ? error.message : 'The file cannot be read.';
    return { input: unread, problem: { path: entry.path, code: 'unreadable', message } };
  }
}
