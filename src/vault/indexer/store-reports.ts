import type { Store, StoreChange } from '../../stores/store.ts';
import { StoreFeed } from './store-feed.ts';

/** Watchers lose events (queue overflows, network drives): compare everything at this interval, ms. */
const FULL_SCAN_MS = 5 * 60_000;
const POLL_MS = 15_000;
/** Asking a store for its changes is cheap. */
const FEED_MS = 2000;

export interface StoreReportsOptions {
  readonly store: Store;
  readonly onChanges: (changes: readonly StoreChange[]) => void;
  /** Called when a full scan is due. */
  readonly onFullScan: () => void;
  readonly onError: (error: unknown) => void;
  /** See {@link IndexerOptions}. */
  readonly onAway?: (since: number | undefined) => void;
  /** Until then timed scans would only delay a first build. */
  readonly isReady: () => boolean;
}

/** The sources of change reports for an indexer: the store's watcher, its change feed, and timers. */
export class StoreReports {
  readonly #options: StoreReportsOptions;
  readonly #feed: StoreFeed | undefined;
  #stopWatching: (() => Promise<void>) | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #hasFailed = false;

  constructor(options: StoreReportsOptions) {
    this.#options = options;
    this.#feed = StoreFeed.of(options.store);
  }

  /** Whether the store has a change feed, so that it need not be listed for changes. */
  get tells(): boolean {
    return this.#feed !== undefined;
  }

  /** Starts listening. A store that cannot be watched is polled. */
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

  /** Starts the timers. */
  follow(): void {
    const { isReady, onFullScan } = this.#options;
    const whenReady = (work: () => void, everyMs: number) =>
      setInterval(() => {
        if (isReady()) work();
      }, everyMs);
    const fullScan = whenReady(onFullScan, this.#stopWatching || this.#feed ? FULL_SCAN_MS : POLL_MS);
    this.#timers = this.#feed ? [fullScan, whenReady(() => void this.#ask(), FEED_MS)] : [fullScan];
  }

  /** Changes since the last call, for a store with a change feed; undefined for others. */
  async next(): Promise<readonly StoreChange[] | undefined> {
    return this.#feed?.next();
  }

  /** The store answered. Told every time: somebody else may have found it silent meanwhile. */
  answered(): void {
    this.#hasFailed = false;
    if (this.#options.store.awaySince) this.#options.onAway?.(undefined);
  }

  /** Tells the owner of an error once, as long as the store stays away. */
  async failed(error: unknown): Promise<void> {
    if (!this.#hasFailed) this.#options.onError(error);
    const since = await this.#options.store.awaySince?.().catch(() => undefined);
    this.#hasFailed = since !== undefined;
    if (since !== undefined) this.#options.onAway?.(since);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#stopWatching?.();
  }

  /** Changes from the feed are handled like watcher reports. */
  async #ask(): Promise<void> {
    try {
      const changes = (await this.#feed?.next()) ?? [];
      this.answered();
      if (changes.length > 0) this.#options.onChanges(changes);
    } catch (error) {
      // A store that is away is asked again; the next full scan finds what was missed.
      await this.failed(error);
      this.#hasFailed = true;
    }
  }
}
