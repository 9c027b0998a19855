import type { Store, StoreChange } from '../../stores/store.ts';
import { StoreFeed } from './store-feed.ts';

/** Watchers lose events (queue overflows, network drives): look at everything once in a while. */
const FULL_SCAN_MS = 5 * 60_000;
const POLL_MS = 15_000;
/** Asking a store what changed costs it little. */
const FEED_MS = 2000;

export interface StoreReportsOptions {
  readonly store: Store;
  readonly onChanges: (changes: readonly StoreChange[]) => void;
  /** It is time to look at everything. */
  readonly onFullScan: () => void;
  readonly onError: (error: unknown) => void;
  /** Until then what is reported by the clock would only delay a first build. */
  readonly isReady: () => boolean;
}

/** How an indexer hears of changes: by the store's watcher, from its feed, and by the clock. */
export class StoreReports {
  readonly #options: StoreReportsOptions;
  readonly #feed: StoreFeed | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isAway = false;

  constructor(options: StoreReportsOptions) {
    this.#options = options;
    this.#feed = StoreFeed.of(options.store);
  }

  /** Whether the store tells by itself what changed, so that nothing has to be listed for that. */
  get tells(): boolean {
    return this.#feed !== undefined;
  }

  /** Listens from here on. A store that cannot be watched is looked at by the clock. */
  async open(): Promise<void> {
    const { store, onChanges, onError } = this.#options;
    if (store.capabilities.watch) {
      try {
        this.#stopWatching = await store.watch(onChanges);
      } catch (error) {
        onError(error);
      }
    }
    await this.#feed?.begin().catch(onError);
  }

  /** Starts the clock. */
  follow(): void {
    const { isReady, onFullScan } = this.#options;
    const whenReady = (work: () => void, everyMs: number) =>
      setInterval(() => {
        if (isReady()) work();
      }, everyMs);
    const fullScan = whenReady(onFullScan, this.#stopWatching || this.#feed ? FULL_SCAN_MS : POLL_MS);
    this.#timers = this.#feed ? [fullScan, whenReady(() => void this.#ask(), FEED_MS)] : [fullScan];
  }

  /** What a store with a feed says changed since it was asked last; undefined for another one. */
  async next(): Promise<readonly StoreChange[] | undefined> {
    return this.#feed?.next();
  }

  /** Tells the owner of an error once, as long as the store stays away. */
  async failed(error: unknown): Promise<void> {
    if (!this.#isAway) this.#options.onError(error);
    this.#isAway = (await this.#options.store.awaySince?.().catch(() => undefined)) !== undefined;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#stopWatching?.();
  }

  /** What the store says changed is followed like what a watcher reports. */
  async #ask(): Promise<void> {
    try {
      const changes = (await this.#feed?.next()) ?? [];
      this.#isAway = false;
      if (changes.length > 0) this.#options.onChanges(changes);
    } catch (error) {
      // A store that is away is asked again; the next whole look tells what was missed. The owner is told once.
      if (!this.#isAway) this.#options.onError(error);
      this.#isAway = true;
    }
  }
}
