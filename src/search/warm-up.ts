import { setTimeout as delay } from 'node:timers/promises';

export interface WarmUpPace {
  /** Delay, ms, that leaves the processor to the start itself and to requests right after it. */
  readonly startAfterMs: number;
  /** Pause between two searches, ms: other requests are served, and the runtime compiles. */
  readonly gapMs: number;
}

const PACE: WarmUpPace = { startAfterMs: 700, gapMs: 15 };
/** After this many searches the runtime has compiled the search code, and the pages most searches read are in memory. */
const SEARCHES = 80;
/** Time for the whole warm-up, loading included. In a vault of 100,000 notes it allows some twenty searches. */
const BUDGET_MS = 500;
/** Words of a title in one query. */
const MOST_WORDS = 3;

export interface WarmUpParts {
  /** Runs one short loading step. @returns false when loading is complete */
  readonly prepare: () => Promise<boolean>;
  /** Titles of the vault's notes, used as queries; at most `most`. */
  readonly titles: (most: number) => Promise<readonly string[]>;
  /** Runs the `nth` search and discards its result. */
  readonly search: (query: string, nth: number) => Promise<unknown>;
}

/**
 * Runs searches for the vault's own titles shortly after the start. The runtime interprets code until it has run often,
 * and the pages a search reads are not in memory yet: the first searches take twice as long as later ones, and most
 * clients send only a few. Searches of clients count as well and take precedence.
 */
export class WarmUp {
  readonly #parts: WarmUpParts;
  readonly #pace: WarmUpPace;
  readonly #aborter = new AbortController();
  #running: Promise<void> | undefined;
  #done = 0;
  /** Searches of clients since the last one of the warm-up. */
  #clientSearches = 0;

  constructor(parts: WarmUpParts, pace: WarmUpPace = PACE) {
    this.#parts = parts;
    this.#pace = pace;
  }

  /** Records a search of a client. */
  searched(): void {
    this.#done += 1;
    this.#clientSearches += 1;
  }

  /**
   * Starts once; later calls have no effect. Never rejects: a search that fails here fails for clients with its own error.
   * @returns when the warm-up has ended
   */
  start(): Promise<void> {
    this.#running ??= this.#run().catch(() => {});
    return this.#running;
  }

  /** Stops; resolves when no search of the warm-up is running. */
  async stop(): Promise<void> {
    this.#aborter.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#wait(this.#pace.startAfterMs);
    let spent = 0;
    const timed = async <T>(work: Promise<T>): Promise<T> => {
      const started = performance.now();
      const result = await work;
      spent += performance.now() - started;
      return result;
    };
    while (spent <= BUDGET_MS && (await timed(this.#parts.prepare()))) await this.#wait(this.#pace.gapMs);
    for (const title of await this.#parts.titles(SEARCHES)) {
      do {
        this.#clientSearches = 0;
        await this.#wait(this.#pace.gapMs);
      } while (this.#clientSearches > 0);
      if (this.#done >= SEARCHES || spent > BUDGET_MS) return;
      this.#done += 1;
      await timed(this.#parts.search(title.split(/\s+/).slice(0, MOST_WORDS).join(' '), this.#done));
    }
  }

  /** @throws when the warm-up was stopped meanwhile */
  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { ref: false, signal: this.#aborter.signal });
  }
}
