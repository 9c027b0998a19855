/** Keeps the `limit` items with the highest scores of a stream, in a binary heap with the lowest on top. */
export class Top {
  readonly #scores: Float32Array;
  readonly #items: Int32Array;
  #size = 0;

  constructor(readonly limit: number) {
    this.#scores = new Float32Array(limit);
    this.#items = new Int32Array(limit);
  }

  /** A score must be higher than this to be kept. */
  get floor(): number {
    return this.#size < this.limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  offer(item: number, score: number): void {
    if (this.limit === 0 || score <= this.floor) return;
    if (this.#size < this.limit) {
      this.#size += 1;
      this.#rise(this.#size - 1, item, score);
    } else this.#sink(item, score);
  }

  /** What is kept, in no order. */
  items(): Int32Array {
    return this.#items.subarray(0, this.#size);
  }

  /** Highest first; equal scores by item. */
  sorted(): { item: number; score: number }[] {
    return Array.from({ length: this.#size }, (_, at) => ({
      item: this.#items[at] as number,
      score: this.#scores[at] as number,
    })).sort((a, b) => b.score - a.score || a.item - b.item);
  }

  #rise(from: number, item: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#scores[parent] as number) <= score) break;
      this.#place(at, this.#items[parent] as number, this.#scores[parent] as number);
      at = parent;
    }
    this.#place(at, item, score);
  }

  #sink(item: number, score: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (this.#scores[child + 1] as number) < (this.#scores[child] as number))
        child += 1;
      if ((this.#scores[child] as number) >= score) break;
      this.#place(at, this.#items[child] as number, this.#scores[child] as number);
      at = child;
    }
    this.#place(at, item, score);
  }

  #place(at: number, item: number, score: number): void {
    this.#items[at] = item;
    this.#scores[at] = score;
  }
}
