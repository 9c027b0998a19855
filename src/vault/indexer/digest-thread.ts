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

/** Digests files elsewhere, while many are to be done. */
export interface DigestThread {
  /** @throws when the thread has ended; then the files can still be read here */
  digest(entries: readonly StoreEntry[]): Promise<readonly Digest[]>;
  /** Ends the thread, which gives its memory back. What waits is answered with nothing, and what is in work waited for. */
  close(): Promise<void>;
}

/** What the thread can be asked. */
export interface DigestCalls {
  digest(entries: readonly StoreEntry[]): readonly Digest[];
  /** Answered when the thread is idle; what came before it and was not begun is left out. */
  finish(given: undefined): void;
}

export type DigestPort = ThreadPort<CallMessage, CallReply>;

/** This side of a thread that reads and digests files. */
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

/** Batches in work at once: while one is parsed, the next one is read. */
const LANES = 2;

/**
 * The thread's own side.
 * @param buffers memory that goes along with a digest instead of being copied
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
