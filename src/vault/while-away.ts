import { setTimeout as delay } from 'node:timers/promises';
import type { NoteIndexReader } from '../index/note-index.ts';
import { encodeText } from '../notes/text.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import { Away, isAway } from '../stores/presence.ts';
import type { Store, StoredFile } from '../stores/store.ts';

/** A server that has not answered for so long, ms, is asked whether it is there at all. */
const PATIENCE_MS = 3000;

/** Since when the server behind a vault's store does not answer, as far as anybody has noticed. */
export class Absence {
  /** ms since the epoch; undefined while it answers. */
  since: number | undefined;
}

/**
 * The store as those see it who change nothing: while its server is away notes are as the index has them. A note whose
 * bytes the index does not have exactly is as little there as the server.
 *
 * @param reader the index; asked only when the server is away
 * @returns the store itself when there is no server behind it
 */
export function readableWhileAway(
  store: Store,
  reader: () => Promise<NoteIndexReader>,
  absence: Absence,
): Store {
  if (store.awaySince === undefined) return store;

  const isStillAway = async () => {
    absence.since = await store.awaySince?.();
    return absence.since !== undefined;
  };

  /** Ends the waiting for a server that keeps a connection open and says nothing. */
  const silence = async (signal: AbortSignal): Promise<never> => {
    await delay(PATIENCE_MS, undefined, { signal });
    if (await isStillAway())
      throw new Away(`${store.location} does not answer.`, { next: 'Call again later.' });
    return new Promise(() => {});
  };

  async function asked<T>(work: () => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const silent = silence(ending.signal);
    silent.catch(() => {});
    try {
      const answer = await Promise.race([work(), silent]);
      absence.since = undefined;
      return answer;
    } finally {
      ending.abort();
    }
  }

  /** What the server says, else what the index does, which says nothing before it was complete once. */
  async function answered<T>(
    work: () => Promise<T>,
    fromIndex: (index: NoteIndexReader) => Promise<T>,
  ): Promise<T> {
    let failure: unknown;
    if (absence.since === undefined || !(await isStillAway())) {
      try {
        return await asked(work);
      } catch (error) {
        if (!isAway(error)) throw error;
        failure = error;
        absence.since ??= (await store.awaySince?.()) ?? Date.now();
      }
    }
    const index = await reader().catch(() => undefined);
    if (!(await index?.isComplete().catch(() => false)))
      return failure === undefined ? work() : thrown(failure);
    return fromIndex(index as NoteIndexReader);
  }

  const noteIn = async (index: NoteIndexReader, path: string): Promise<StoredFile | undefined> => {
    const note = await index.stored(path);
    if (note === undefined) return undefined;
    const { kind, size, mtimeMs, birthtimeMs, version, id, facts } = note;
    const entry = {
      path: note.path,
      kind,
      size,
      mtimeMs,
      ctimeMs: mtimeMs,
      birthtimeMs,
      version,
      ...(id !== undefined && { id }),
      ...(facts !== undefined && { facts }),
    };
    const file = { entry, bytes: encodeText(note.text) };
    return etagOfFile(file) === note.etag ? file : undefined;
  };

  const { idAt, pathOfId, folders } = store;
  const overrides: Partial<Store> = {
    stat: (path) =>
      answered(
        () => store.stat(path),
        async (index) => (await noteIn(index, path))?.entry,
      ),
    read: (path) =>
      answered(
        () => store.read(path),
        async (index) => (await noteIn(index, path)) ?? store.read(path),
      ),
    ...(idAt && {
      idAt: (path: string) =>
        answered(
          () => idAt.call(store, path),
          async (index) => (await index.stored(path))?.id,
        ),
    }),
    ...(pathOfId && {
      pathOfId: (id: string) =>
        answered(
          () => pathOfId.call(store, id),
          async (index) => (await index.fileIds()).get(id)?.[0],
        ),
    }),
    // Those with something in them are known from the index anyhow.
    ...(folders && {
      folders: (signal?: AbortSignal) =>
        answered(
          () => folders.call(store, signal),
          async () => [],
        ),
    }),
  };
  return new Proxy(store, {
    get(target, key) {
      const own = overrides[key as keyof Store];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function thrown(error: unknown): never {
  throw error;
}
