/** Counts attempts per key in a sliding window, for what must not be guessed or piled up. */
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

  /** @returns whether one more is allowed; it is counted then */
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

  /** Takes the last attempt back: it was none of those that must not be piled up. */
  giveBack(key: string): void {
    this.#times.get(key)?.pop();
  }

  forget(key: string): void {
    this.#times.delete(key);
  }
}
