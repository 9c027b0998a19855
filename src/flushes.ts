interface Flush {
  /** The flush under way; what changed after it started is not in it. */
  readonly running: Promise<void>;
  /** One more after it, for everybody who came meanwhile. */
  next?: Promise<void>;
}

/** Shares flushes: whoever asks while one is under way waits for the next, together with all others who do. */
export class Flushes {
  readonly #flushes = new Map<string, Flush>();

  /** @param flush makes durable what was done before it is called */
  run(key: string, flush: () => Promise<void>): Promise<void> {
    const current = this.#flushes.get(key);
    if (current === undefined) return this.#start(key, flush);
    current.next ??= current.running.then(
      () => this.#start(key, flush),
      () => this.#start(key, flush),
    );
    return current.next;
  }

  #start(key: string, flush: () => Promise<void>): Promise<void> {
    const running = flush();
    const entry: Flush = { running };
    this.#flushes.set(key, entry);
    const done = () => {
      if (entry.next === undefined) this.#flushes.delete(key);
    };
    running.then(done, done);
    return running;
  }
}
