const LIMIT = 4096;

/** The last versions this store wrote itself, so that its own save is not taken for an editor's. */
export class RecentVersions {
  readonly #versions = new Set<string>();

  has(version: string): boolean {
    return this.#versions.has(version);
  }

  add(version: string): void {
    this.#versions.add(version);
    if (this.#versions.size <= LIMIT) return;
    const [oldest] = this.#versions;
    if (oldest !== undefined) this.#versions.delete(oldest);
  }
}
