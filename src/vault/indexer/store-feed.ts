import type { Store, StoreChange } from '../../stores/store.ts';

/** Everything must be listed again. */
const RESCAN: readonly StoreChange[] = [{ kind: 'rescan', path: '' }];

/** Reads the changes of a store without a watcher, from one cursor to the next. */
export class StoreFeed {
  readonly #changesSince: NonNullable<Store['changesSince']>;
  #cursor: string | undefined;

  private constructor(changesSince: NonNullable<Store['changesSince']>) {
    this.#changesSince = changesSince;
  }

  /** @returns undefined for a store that watches or has no change feed */
  static of(store: Store): StoreFeed | undefined {
    if (store.capabilities.watch || store.changesSince === undefined) return undefined;
    return new StoreFeed(
      (cursor, signal) => store.changesSince?.(cursor, signal) ?? Promise.resolve(undefined),
    );
  }

  /** Takes the current cursor; earlier changes are found by a full listing. */
  async begin(): Promise<void> {
    this.#cursor = (await this.#changesSince(undefined))?.cursor;
  }

  /** Changes since the last call; a full rescan when the store no longer knows. */
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
