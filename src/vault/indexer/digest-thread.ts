import type { IndexInput } from '../../index/note-index.ts';
import type { Store, StoreEntry } from '../../stores/store.ts';
import type { ThreadPort } from '../../thread-calls.ts';
import { type Digest, type Digester, readDigests } from './read-digests.ts';

/** Digests files elsewhere, while many are to be done. */
export interface DigestThread {
  /** @throws when the thread has ended; then the files can still be read here */
  digest(entries: readonly StoreEntry[]): Promise<readonly Digest[]>;
  /** Ends the thread, which gives its memory back. What waits is answered with nothing, and what is in work waited for. */
  close(): Promise<void>;
}

export interface DigestRequest {
  readonly id: number;
  /** Answered when the thread is idle; what came before it and was not begun is left out. */
  readonly last?: true;
  readonly entries: readonly StoreEntry[];
}

export interface DigestReply {
  readonly id: number;
  readonly digests: readonly Digest[];
}

export type DigestPort = ThreadPort<DigestRequest, DigestReply>;

/** This side of a thread that reads and digests files. */
export function digestThread(port: DigestPort): DigestThread {
  const waiting = new Map<
    number,
    { resolve(digests: readonly Digest[]): void; reject(error: Error): void }
  >();
  let requests = 0;
  let gone: Error | undefined;
  port.onReply(({ id, digests }) => {
    waiting.get(id)?.resolve(digests);
    waiting.delete(id);
  });
  port.onExit((error) => {
    gone = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  const ask = (request: Omit<DigestRequest, 'id'>): Promise<readonly Digest[]> => {
    if (gone) return Promise.reject(gone);
    const id = requests++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      port.post({ ...request, id });
    });
  };
  return {
    digest: (entries) => ask({ entries }),
    async close() {
      await ask({ entries: [], last: true }).catch(() => {});
      await port.terminate();
    },
  };
}

/** Batches in work at once: while one is parsed, the next one is read. */
const LANES = 2;

/**
 * The thread's own side.
 * @param buffers memory that goes along with a digest instead of being copied
 */
export function serveDigests(
  port: {
    onRequest(listener: (request: DigestRequest) => void): void;
    post(reply: DigestReply, transfer: readonly ArrayBuffer[]): void;
  },
  store: Store,
  digester: Digester,
  buffers: (input: IndexInput) => readonly ArrayBuffer[],
): void {
  const lanes = Array.from({ length: LANES }, () => Promise.resolve());
  let isOver = false;
  port.onRequest(({ id, entries, last }) => {
    if (last) {
      isOver = true;
      void Promise.all(lanes).then(() => port.post({ id, digests: [] }, []));
      return;
    }
    const lane = id % LANES;
    lanes[lane] = (lanes[lane] ?? Promise.resolve()).then(async () => {
      const digests = isOver ? [] : await readDigests(store, digester, entries);
      port.post(
        { id, digests },
        digests.flatMap(({ input }) => buffers(input)),
      );
    });
  });
}
