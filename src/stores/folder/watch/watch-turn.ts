import { setTimeout as delay } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const FREE = 0;
const TAKEN = 1;
const LOOK_MS = 2;
/**
 * Subscribing to a very large folder takes seconds; a thread that died in between must not block the others
 * permanently.
 */
const PATIENCE_MS = 30_000;
/** Environment data of this key is inherited by threads: the shared memory of the lock. */
const KEY = 'lectern.watch-turn';

/**
 * Serialises subscribing to the native watcher and leaving it. The watcher has one set of tables for all
 * threads of a process and no locking: of two threads that subscribe at once, one may never get an event, and
 * no error either.
 */
export class WatchTurn {
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#state = new Int32Array(shared);
  }

  /**
   * The lock of this process. It is created by the first thread that asks, so a thread that starts others
   * which open stores must ask before it does.
   */
  static ofProcess(): WatchTurn {
    const known = getEnvironmentData(KEY);
    if (known instanceof SharedArrayBuffer) return new WatchTurn(known);
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    setEnvironmentData(KEY, shared);
    return new WatchTurn(shared);
  }

  /** Runs `work` while no other thread holds the lock. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + PATIENCE_MS;
    while (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) !== FREE && performance.now() < until)
      await delay(LOOK_MS);
    try {
      return await work();
    } finally {
      Atomics.store(this.#state, 0, FREE);
    }
  }
}
