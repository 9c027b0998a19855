import { setTimeout as delay } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

const FREE = 0;
const TAKEN = 1;
const LOOK_MS = 2;
/** Subscribing to a very large folder takes seconds; a thread that died meanwhile must not stop the others for good. */
const PATIENCE_MS = 30_000;
/** Threads inherit what their parent keeps under it: the memory of the turn. */
const KEY = 'lectern.watch-turn';

/**
 * Whose turn it is to subscribe to the native watcher or leave it. The watcher keeps one set of tables
 * for all threads of a process and does not guard them: of two threads that subscribe at once, one may never
 * get an event, and no error either.
 */
export class WatchTurn {
  readonly #state: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.#state = new Int32Array(shared);
  }

  /**
   * The turn of this process. It begins in the thread that asks first, so a thread that starts others which open
   * stores asks before it does.
   */
  static ofProcess(): WatchTurn {
    const known = getEnvironmentData(KEY);
    if (known instanceof SharedArrayBuffer) return new WatchTurn(known);
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    setEnvironmentData(KEY, shared);
    return new WatchTurn(shared);
  }

  /** Runs `work` while no other thread is at it. */
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
