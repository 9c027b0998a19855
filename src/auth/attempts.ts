/** Counts attempts per key in a sliding window, to limit guessing and queueing. */
export class Attempts {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #times = new Map<string, number[]>();

  constructor(limit: number, windowMs: number, now: () => number = Date.now) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** @returns whether one more attempt is allowed; it is counted then */
  take(key: string): boolean {
    const now = this.#now();
    const recent = (this.#times.get(key) ?? []).filter((time) => time > now - this.#windowMs);
    const allowed = recent.length < this.#limit;
    if (allowed) recent.push(now);
    this.#times.delete(key);
    this.#times.set(key, recent);
    if (this.#times.size > 10_000) {
      const [oldest] = this.#times.keys();
      if (oldest !== undefined) this.#times.delete(oldest);
    }
    return allowed;
  }

  /** Uncounts the last attempt, because it was not one of those to limit. */
  giveBack(key: string): void {
    this.#times.get(key)?.pop();
  }

  forget(key: string): void {
    this.#times.delete(key);
  }
}
