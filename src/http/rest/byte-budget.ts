/** Room for a number of bytes, given back when it is no longer needed. */
export interface Lease {
  /** Keeps this many of the bytes and gives the others back. */
  keep(bytes: number): void;
  /** Gives everything back; more than once does no harm. */
  end(): void;
}

/**
 * How many bytes of files may be in memory at once, whoever asked for them. Who finds no room waits, in the order of
 * arrival.
 */
export class ByteBudget {
  #free: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** @param bytes no more than the whole budget */
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
