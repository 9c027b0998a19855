/** A change in the vault, whatever its source: an agent, another process, an editor or a sync tool. */
export interface VaultChange {
  readonly kind: 'created' | 'modified' | 'removed';
  readonly path: string;
  /** Etag of the new bytes; undefined for removals and attachments. */
  readonly etag: string | undefined;
}

export type ChangeListener = (changes: readonly VaultChange[]) => void;

/** Distributes changes in order. A listener that throws does not affect the others. */
export class ChangeFeed {
  readonly #listeners = new Set<ChangeListener>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  publish(changes: readonly VaultChange[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
