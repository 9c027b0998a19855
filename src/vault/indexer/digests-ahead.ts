import type { Store, StoreEntry } from '../../stores/store.ts';
import { BATCH, BATCH_BYTES, batchesOf } from './batches.ts';
import type { DigestThread } from './digest-thread.ts';
import { ReadAhead } from './read-ahead.ts';
import { type Digest, type Digester, readDigests } from './read-digests.ts';

/** Batches for the digesting thread: all finished ones are written in one transaction. */
const PIECE = 64;
const PIECE_BYTES = 1024 * 1024;
const PIECES_AHEAD = 8;
/** A smaller transaction costs a sixth more per note; while the writer waits, further batches are digested. */
const PIECES_AT_ONCE = 4;

export interface DigestsAheadOptions {
  readonly store: Store;
  readonly digest: Digester;
  readonly startDigestThread?: () => DigestThread;
  readonly onError: (error: unknown) => void;
}

/** Reads and digests files ahead of the index writer; large numbers in a separate thread. */
export class DigestsAhead {
  readonly #ahead: ReadAhead<StoreEntry, Digest>;
  readonly #thread: DigestThread | undefined;

  constructor(options: DigestsAheadOptions, entries: readonly StoreEntry[], areMany: boolean) {
    const { store, digest, onError } = options;
    const thread = areMany ? startedThread(options) : undefined;
    this.#thread = thread;
    const batches = thread ? batchesOf(entries, PIECE, PIECE_BYTES) : batchesOf(entries, BATCH, BATCH_BYTES);
    let usable = thread;
    this.#ahead = new ReadAhead(batches, thread ? PIECES_AHEAD : 1, async (batch) => {
      try {
        if (usable) return await usable.digest(batch);
      } catch (error) {
        if (usable) onError(error);
        usable = undefined;
      }
      return readDigests(store, digest, batch);
    });
  }

  /** As {@link ReadAhead.take}. */
  take(): Promise<readonly Digest[] | undefined> {
    return this.#ahead.take(this.#thread ? PIECES_AT_ONCE : 1);
  }

  /** Ends the thread; the batch in progress is awaited. */
  async stop(): Promise<void> {
    const ended = this.#thread?.close();
    await this.#ahead.stop();
    await ended;
  }
}

/** Without the thread, files are digested here: a thread that cannot start stops nothing. */
function startedThread({ startDigestThread, onError }: DigestsAheadOptions): DigestThread | undefined {
  try {
    return startDigestThread?.();
  } catch (error) {
    onError(error);
    return undefined;
  }
}
