import { LecternError } from '../../errors.ts';
import { type Database, openDatabase } from '../../sqlite/driver.ts';
import type { WriteLock } from '../lock.ts';
import { journalFailure } from './guarded.ts';
import { type Task, WorkQueue } from './work-queue.ts';

const WAIT_LIMIT_MS = 30_000;
/** After this time, ms, no more work is admitted, so that other processes get the lock: sooner when there are some. */
const TURN_MS = 500;
const SHARED_TURN_MS = 50;
/** A process met this long ago, ms, may have exited. */
const OTHERS_MS = 10_000;
/** Pause, ms: longer than the shortest pause of a waiting process. */
const BREAK_MS = 3;

/**
 * The lock between processes is the write transaction of a small database, which the operating system
 * releases when a process dies in any way. Within a process a {@link WorkQueue} orders the work.
 */
export class SqliteWriteLock implements WriteLock {
  readonly #database: Database;
  readonly #queue = new WorkQueue();
  #prepare: () => Promise<void> = async () => {};
  /** When this process took the lock; undefined while it does not hold it. */
  #takenAt: number | undefined;
  /** Taking the lock, or pausing so that others can. */
  #taking = false;
  /** When another process was last found to hold the lock. */
  #metOthersAt = Number.NEGATIVE_INFINITY;
  #idle: (() => void)[] = [];

  /** @param path the lock file in the vault's state folder */
  constructor(path: string) {
    // No busy timeout: waiting inside SQLite would block the event loop.
    this.#database = openDatabase(path, { busyTimeoutMs: 0, wal: false });
  }

  onTaken(prepare: () => Promise<void>): void {
    this.#prepare = prepare;
  }

  run<T>(work: () => Promise<T>, key?: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ key, run: () => work().then(resolve, reject), refuse: reject });
      this.#advance();
    });
  }

  /** Starts work that may run now; takes the lock first, or releases it when nothing runs. */
  #advance(): void {
    if (this.#taking) return;
    if (this.#takenAt === undefined) {
      if (this.#queue.hasWaiting) void this.#take();
      else for (const done of this.#idle.splice(0)) done();
      return;
    }
    const isShared = this.#takenAt - this.#metOthersAt < OTHERS_MS;
    const isOver = performance.now() - this.#takenAt > (isShared ? SHARED_TURN_MS : TURN_MS);
    if (!isOver) for (const task of this.#queue.admit()) void this.#work(task);
    if (this.#queue.isRunning) return;
    this.#release();
    this.#takenAt = undefined;
    if (isOver && this.#queue.hasWaiting) this.#pause();
    else this.#advance();
  }

  async #work(task: Task): Promise<void> {
    await task.run();
    this.#queue.done(task);
    this.#advance();
  }

  #pause(): void {
    this.#taking = true;
    setTimeout(() => {
      this.#taking = false;
      this.#advance();
    }, BREAK_MS);
  }

  async #take(): Promise<void> {
    this.#taking = true;
    try {
      await this.#acquire();
      try {
        await this.#prepare();
      } catch (error) {
        this.#release();
        throw error;
      }
      this.#takenAt = performance.now();
    } catch (error) {
      this.#queue.refuseFirst(error);
    }
    this.#taking = false;
    this.#advance();
  }

  async #acquire(): Promise<void> {
    const giveUp = performance.now() + WAIT_LIMIT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        this.#database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error)) throw journalFailure(error);
        this.#metOthersAt = performance.now();
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

  /** The work is done in any case; a later failure of the lock file is reported to the next caller. */
  #release(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // A lock that cannot be released cannot be taken either.
    }
  }

  async close(): Promise<void> {
    if (this.#taking || this.#takenAt !== undefined || this.#queue.hasWaiting) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    this.#database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked|SQLITE_BUSY|\bbusy\b/i.test(error.message);
}
