/**
 * The native watcher loses events without an error: those that arrive while it hands over a batch and, on Linux, all
 * that overflow the kernel's queue of 16,384 (a save takes about five). After a burst of more than this many events
 * everything is listed again.
 */
const BURST = 100;
/** A burst ends after this long without an event, ms. */
const BURST_ENDS_MS = 500;

/** Counts the events of a burst, and says at its end whether some may have been lost. */
export class Burst {
  readonly #onMayHaveLost: () => void;
  #events = 0;
  #end: NodeJS.Timeout | undefined;

  /** @param onMayHaveLost called at the end of each burst of more than 100 events */
  constructor(onMayHaveLost: () => void) {
    this.#onMayHaveLost = onMayHaveLost;
  }

  add(events: number): void {
    this.#events += events;
    clearTimeout(this.#end);
    this.#end = setTimeout(() => {
      const mayHaveLost = this.#events > BURST;
      this.#events = 0;
      if (mayHaveLost) this.#onMayHaveLost();
    }, BURST_ENDS_MS);
  }

  stop(): void {
    clearTimeout(this.#end);
  }
}
