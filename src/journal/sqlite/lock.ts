import { LecternError } from '../../errors.ts';
import { type Database, openDatabase } from '../../sqlite/driver.ts';
import type { WriteLock } from '../lock.ts';
import { journalFailure } from './guarded.ts';

const WAIT_LIMIT_MS = 30_000;

/**
 * One writer at a time, over all tasks of this process (a queue, in order of arrival) and over all
 * processes on the vault (the write transaction of a small database: the operating system releases
 * it when a process dies, however it dies).
 */
export class SqliteWriteLock implements WriteLock {
  readonly #database: Database;
  #tail: Promise<unknown> = Promise.resolve();

  /** @param path the lock file in the vault's state folder */
  constructor(path: string) {
    // No busy timeout: waiting inside SQLite would stop the event loop.
    this.#database = openDatabase(path, { busyTimeoutMs: 0, wal: false });
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => {
      await this.#acquire();
      try {
        return await work();
      } finally {
        this.#release();
      }
    });
    this.#tail = turn.catch(() => {});
    return turn;
  }

  async #acquire(): Promise<void> {
    const giveUp = performance.now() + WAIT_LIMIT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error)) throw journalFailure(error);
        if (performance.now() > giveUp) {
          throw new LecternError('timeout', 'Another process has been writing to this vault for too long.', {
            cause: error,
            next: 'Try again; if it persists, look for a stuck lectern process.',
          });
        }
        const pause = Math.min(20, 1 + attempt) * (0.5 + Math.random());
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** The work is done, whatever becomes of the lock file; whoever comes next is told. */
  #release(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // A lock that cannot be let go cannot be taken either.
    }
  }

  async close(): Promise<void> {
    await this.#tail;
    this.#database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|SQLITE_BUSY|\bbusy\b/i.test(error.message);
}
