interface Flush {
  /** The flush in progress; changes after its start are not included. */
  readonly running: Promise<void>;
  /** The next flush, shared by all callers that arrived meanwhile. */
  next?: Promise<void>;
}

/** Shares flushes: a caller that arrives during one waits for the next, together with all others. */
export class Flushes {
  readonly #flushes = new Map<string, Flush>();

  /** @param flush makes everything done before its call durable */
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
