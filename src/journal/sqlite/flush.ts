import { open } from 'node:fs/promises';

/**
 * Makes commits durable without holding up the event loop. In WAL mode with `synchronous=NORMAL` a commit is
 * complete once it is in the log, and survives a power cut once the log is flushed: `FULL` does that inside the
 * commit, this in the thread pool. Who asks while a flush is under way shares the next one with all others who do.
 */
export class LogFlush {
  readonly #log: string;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param database path of a database in WAL mode */
  constructor(database: string) {
    this.#log = `${database}-wal`;
  }

  run(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const running = this.#flush().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #flush(): Promise<void> {
    // Windows flushes only what may be written to. SQLite keeps its locks on other files, so closing this one frees none.
    const handle = await open(this.#log, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
