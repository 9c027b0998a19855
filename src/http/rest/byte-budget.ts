/** A number of reserved bytes, returned after use. */
export interface Lease {
  /** Keeps this many of the bytes and returns the others. */
  keep(bytes: number): void;
  /** Returns everything; further calls have no effect. */
  end(): void;
}

/** Limits the bytes of files in memory over all callers. Requests beyond the limit wait in order of arrival. */
export class ByteBudget {
  #free: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** @param bytes at most the whole budget */
  async take(bytes: number): Promise<Lease> {
    if (this.#waiting.length > 0 || bytes > this.#free)
      await new Promise<void>((go) => this.#waiting.push({ bytes, go }));
    else this.#free -= bytes;
    let held = bytes;
    const keep = (wanted: number): void => {
      this.#give(held - wanted);
      held = wanted;
    };
    return { keep, end: () => keep(0) };
  }

  #give(bytes: number): void {
    this.#free += bytes;
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || next.bytes > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.go();
    }
  }
}
