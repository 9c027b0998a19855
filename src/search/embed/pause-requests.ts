/** Counts requests to pause background work. The gate opens when the last one is withdrawn, and for good at the end. */
export class PauseRequests {
  #count = 0;
  #ended = false;
  #gate: { promise: Promise<void>; open: () => void } | undefined;

  /** Resolves when the work may go on; undefined when nothing pauses it. */
  get gate(): Promise<void> | undefined {
    return this.#gate?.promise;
  }

  /** @returns a function that withdraws the request; a second call of it has no effect */
  add(): () => void {
    if (this.#ended) return () => {};
    this.#count++;
    this.#gate ??= newGate();
    let active = true;
    return () => {
      if (active && --this.#count === 0) this.#open();
      active = false;
    };
  }

  end(): void {
    this.#ended = true;
    this.#open();
  }

  #open(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }
}

function newGate(): { promise: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
