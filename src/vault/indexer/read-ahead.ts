/**
 * Keeps a number of batches in progress or finished, so that the consumer seldom waits and memory stays
 * bounded. Batches come out in order.
 */
export class ReadAhead<Entry, Result> {
  readonly #batches: readonly (readonly Entry[])[];
  readonly #work: (batch: readonly Entry[]) => Promise<readonly Result[]>;
  readonly #ahead: number;
  /** In progress or finished, oldest first. */
  readonly #slots: { result: readonly Result[] | undefined; readonly done: Promise<void> }[] = [];
  #next = 0;

  /** @param work must not reject */
  constructor(
    batches: readonly (readonly Entry[])[],
    ahead: number,
    work: (batch: readonly Entry[]) => Promise<readonly Result[]>,
  ) {
    this.#batches = batches;
    this.#ahead = ahead;
    this.#work = work;
    this.#fill();
  }

  /**
   * Waits for the oldest batches and returns them with the finished ones that follow; undefined at the end.
   * @param least number of batches to wait for; fewer when fewer are left
   */
  async take(least = 1): Promise<readonly Result[] | undefined> {
    if (this.#slots.length === 0) return undefined;
    for (const { done } of this.#slots.slice(0, least)) await done;
    const waiting = this.#slots.findIndex(({ result }) => result === undefined);
    const taken = this.#slots.splice(0, waiting === -1 ? this.#slots.length : waiting);
    this.#fill();
    return taken.flatMap(({ result }) => result ?? []);
  }

  /** Starts no new batch and resolves when those in progress have ended. */
  async stop(): Promise<void> {
    this.#next = this.#batches.length;
    await Promise.all(this.#slots.map(({ done }) => done));
  }

  #fill(): void {
    for (; this.#slots.length < this.#ahead; this.#next += 1) {
      const batch = this.#batches[this.#next];
      if (batch === undefined) return;
      const slot = { result: undefined as readonly Result[] | undefined, done: Promise.resolve() };
      slot.done = this.#work(batch).then((result) => {
        slot.result = result;
      });
      this.#slots.push(slot);
    }
  }
}
