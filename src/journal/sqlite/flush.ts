import { open } from 'node:fs/promises';
import { Flushes } from '../../flushes.ts';

/**
 * Makes commits durable without blocking the event loop. In WAL mode with `synchronous=NORMAL` a commit is
 * complete once it is in the log, and survives a power cut once the log is flushed: `FULL` does that inside
 * the commit, this in the thread pool, once for all waiting callers.
 */
export class LogFlush {
  readonly #log: string;
  readonly #flushes = new Flushes();

  /** @param database path of a database in WAL mode */
  constructor(database: string) {
    this.#log = `${database}-wal`;
  }

  /** Resolves when everything committed before the call is on disk. */
  run(): Promise<void> {
    return this.#flushes.run(this.#log, () => this.#flush());
  }

  async #flush(): Promise<void> {
    // Windows can only flush a file opened for writing. SQLite keeps its locks on other files, so closing
    // this one releases none.
    const handle = await open(this.#log, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
