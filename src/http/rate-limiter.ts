/** Token buckets: a burst of one minute's worth, then a constant rate. */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #maxKeys: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param perMinute 0 = no limit */
  constructor(perMinute: number, now: () => number = () => performance.now(), maxKeys = 10_000) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#maxKeys = maxKeys;
  }

  /** @returns 0 when it may proceed, else whole seconds to wait */
  take(key: string): number {
    if (this.#perMinute === 0) return 0;
    const bucket = this.#refilled(key);
    if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) * 60) / this.#perMinute));
    bucket.left -= 1;
    return 0;
  }

  #refilled(key: string): { left: number; at: number } {
    const now = this.#now();
    const known = this.#buckets.get(key);
    const left =
      known === undefined
        ? this.#perMinute
        : Math.min(this.#perMinute, known.left + ((now - known.at) / 60_000) * this.#perMinute);
    const bucket = { left, at: now };
    // In order of last use, so that the first one is dropped.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#maxKeys) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
