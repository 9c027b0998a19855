/**
 * Keeps a number of batches in work or waiting, so that whoever takes them in seldom waits and never
 * has more than so many in memory. Batches come out in their order.
 */
export class ReadAhead<Entry, Result> {
  readonly #batches: readonly (readonly Entry[])[];
  readonly #work: (batch: readonly Entry[]) => Promise<readonly Result[]>;
  readonly #ahead: number;
  /** In work or done, oldest first. */
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
   * Waits for the oldest batches and takes with them those behind them that are done as well; undefined at the end.
   * @param least batches to wait for, or as many as are left
   */
  async take(least = 1): Promise<readonly Result[] | undefined> {
    if (this.#slots.length === 0) return undefined;
    for (const { done } of this.#slots.slice(0, least)) await done;
    const waiting = this.#slots.findIndex(({ result }) => result === undefined);
    const taken = this.#slots.splice(0, waiting === -1 ? this.#slots.length : waiting);
    this.#fill();
    return taken.flatMap(({ result }) => result ?? []);
  }

  /** Takes no new batch into work and resolves when those in work are done. */
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
