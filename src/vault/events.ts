/** Something in the vault changed, whoever did it: an agent, another process, an editor, a sync tool. */
export interface VaultChange {
  readonly kind: 'created' | 'modified' | 'removed';
  readonly path: string;
  /** Of the new bytes; undefined for removals and attachments. */
  readonly etag: string | undefined;
}

export type ChangeListener = (changes: readonly VaultChange[]) => void;

/** Fans changes out in order. A listener that throws does not keep the others from hearing. */
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
