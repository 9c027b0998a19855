import { setTimeout as delay } from 'node:timers/promises';

export interface Pace {
  /** The start itself, and whoever asks right after it, go first. */
  readonly beginAfterMs: number;
  /** Between two searches: others get their turn, and the runtime the time to compile. */
  readonly gapMs: number;
}

const PACE: Pace = { beginAfterMs: 700, gapMs: 15 };
/** By then the runtime has compiled what a search runs, and the pages that most searches need are in memory. */
const SEARCHES = 80;
/** What all of it together may take, getting ready included: in a vault of a hundred thousand notes that is some twenty. */
const BUDGET_MS = 500;
/** Words of one title that are asked for. */
const MOST_WORDS = 3;

export interface RehearsalParts {
  /** A short step of getting ready; false when there is no more to do. */
  readonly prepare: () => Promise<boolean>;
  /** What is searched for: titles of the vault's own notes, at most so many. */
  readonly titles: (most: number) => Promise<readonly string[]>;
  /** Runs one search, the first, second, and so on; what it finds is thrown away. */
  readonly search: (query: string, nth: number) => Promise<unknown>;
}

/**
 * Searches nobody asked for, a moment after the start. The runtime interprets code until it has run for a while, and
 * what a search looks up is not in memory yet: the first searches take twice the time of those after them, and most
 * clients ask only a few. Real searches count as well, and go first.
 */
export class Rehearsal {
  readonly #parts: RehearsalParts;
  readonly #pace: Pace;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #done = 0;
  /** Real searches since the last of its own. */
  #asked = 0;

  constructor(parts: RehearsalParts, pace: Pace = PACE) {
    this.#parts = parts;
    this.#pace = pace;
  }

  /** Somebody searches. */
  asked(): void {
    this.#done += 1;
    this.#asked += 1;
  }

  /** Begins once; later calls do nothing. Never rejects: a search that fails here will tell whoever asks for it. */
  begin(): void {
    this.#running ??= this.#run().catch(() => {});
  }

  /** Resolves when no search of its own is running any more. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#wait(this.#pace.beginAfterMs);
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
        this.#asked = 0;
        await this.#wait(this.#pace.gapMs);
      } while (this.#asked > 0);
      if (this.#done >= SEARCHES || spent > BUDGET_MS) return;
      this.#done += 1;
      await timed(this.#parts.search(title.split(/\s+/).slice(0, MOST_WORDS).join(' '), this.#done));
    }
  }

  /** @throws when it was ended meanwhile */
  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { ref: false, signal: this.#stop.signal });
  }
}
