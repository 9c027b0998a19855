import type { Store, StoreChange } from '../../stores/store.ts';

/** Everything is to be listed again. */
const RESCAN: readonly StoreChange[] = [{ kind: 'rescan', path: '' }];

/** What a store without a watcher says changed, from one cursor to the next. */
export class StoreFeed {
  readonly #changesSince: NonNullable<Store['changesSince']>;
  #cursor: string | undefined;

  private constructor(changesSince: NonNullable<Store['changesSince']>) {
    this.#changesSince = changesSince;
  }

  /** @returns undefined for a store that watches, or keeps no account of its changes */
  static of(store: Store): StoreFeed | undefined {
    if (store.capabilities.watch || store.changesSince === undefined) return undefined;
    return new StoreFeed(
      (cursor, signal) => store.changesSince?.(cursor, signal) ?? Promise.resolve(undefined),
    );
  }

  /** Counts from here on; what lies before is for a whole listing. */
  async begin(): Promise<void> {
    this.#cursor = (await this.#changesSince(undefined))?.cursor;
  }

  /** What changed since the last call; everything when the store cannot tell any more. */
  async next(): Promise<readonly StoreChange[]> {
    const found = this.#cursor === undefined ? undefined : await this.#changesSince(this.#cursor);
    if (found === undefined) {
      await this.begin();
      return RESCAN;
    }
    this.#cursor = found.cursor;
    return found.changes;
  }
}
