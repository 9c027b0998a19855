/** Who keeps background work waiting. The gate opens when the last of them lets go, or for good at the end. */
export class Holds {
  #held = 0;
  #ended = false;
  #gate: { promise: Promise<void>; open: () => void } | undefined;

  /** Resolves when the work may go on; undefined when it may. */
  get gate(): Promise<void> | undefined {
    return this.#gate?.promise;
  }

  /** @returns lets go; calling it twice counts once */
  take(): () => void {
    if (this.#ended) return () => {};
    this.#held++;
    this.#gate ??= newGate();
    let taken = true;
    return () => {
      if (taken && --this.#held === 0) this.#open();
      taken = false;
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
