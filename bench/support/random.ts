/** A source of random numbers that gives the same ones for the same seed, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** @returns a number in [0, 1); mulberry32 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** @returns an integer in [0, limit) */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** @returns an integer from `least` to `most`, both included */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('Nothing to pick from.');
    return item;
  }

  /** Zipf's law with exponent 1: @returns a rank in [0, count), rank 0 most often */
  rank(count: number): number {
    return Math.min(count - 1, Math.floor((count + 1) ** this.next()) - 1);
  }

  /** @returns a draw from the normal distribution with mean 0 and deviation 1 (Box-Muller) */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** A source of its own for one part, so that what is drawn there moves nothing elsewhere. */
  fork(part: number): Random {
    return new Random(Math.imul(this.#state ^ (part + 0x9e3779b9), 0x85ebca6b) ^ part);
  }
}
