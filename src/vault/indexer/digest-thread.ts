import type { IndexInput } from '../../index/note-index.ts';
import type { Store, StoreEntry } from '../../stores/store.ts';
import {
  type CallMessage,
  type CallReply,
  HandedOver,
  type ServedPort,
  serveCalls,
  ThreadCalls,
  type ThreadPort,
} from '../../thread-calls.ts';
import { type Digest, type Digester, readDigests } from './read-digests.ts';

/** Digests files in another thread while there are many. */
export interface DigestThread {
  /** @throws when the thread has ended; the caller can then read the files itself */
  digest(entries: readonly StoreEntry[]): Promise<readonly Digest[]>;
  /** Ends the thread and frees its memory. Waiting requests are answered with nothing; the current one is awaited. */
  close(): Promise<void>;
}

/** Calls of the thread. */
export interface DigestCalls {
  digest(entries: readonly StoreEntry[]): readonly Digest[];
  /** Answered when the thread is idle; requests received before it that have not begun are dropped. */
  finish(given: undefined): void;
}

export type DigestPort = ThreadPort<CallMessage, CallReply>;

/** The client side of a thread that reads and digests files. */
export function digestThread(port: DigestPort): DigestThread {
  const calls = new ThreadCalls<DigestCalls>(port);
  return {
    digest: (entries) => calls.ask('digest', entries),
    async close() {
      await calls.ask('finish', undefined).catch(() => {});
      await calls.terminate();
    },
  };
}

/** Batches in progress at once: while one is parsed, the next is read. */
const LANES = 2;

/**
 * The worker side.
 * @param buffers memory that is transferred with a digest instead of copied
 */
export function serveDigests(
  port: ServedPort<CallMessage, CallReply>,
  store: Store,
  digester: Digester,
  buffers: (input: IndexInput) => readonly ArrayBuffer[],
): void {
  const lanes: Promise<unknown>[] = Array.from({ length: LANES }, () => Promise.resolve());
  let requests = 0;
  let isOver = false;
  serveCalls<DigestCalls>(port, {
    digest(entries) {
      const lane = requests++ % LANES;
      const digested = Promise.resolve(lanes[lane]).then(async () => {
        const digests = isOver ? [] : await readDigests(store, digester, entries);
        return new HandedOver<readonly Digest[]>(
          digests,
          digests.flatMap(({ input }) => buffers(input)),
        );
      });
      lanes[lane] = digested.catch(() => {});
      return digested;
    },
    async finish() {
      isOver = true;
      await Promise.all(lanes);
    },
  });
}
