import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time of one turn of the event loop that work of one kind may take, ms. */
const TURN_MS = 8;

/**
 * Shares out turns of the event loop among pieces of work that each take no time to wait for. Of such work a long row
 * would be done in one turn, however often it says `await`.
 */
export class Turn {
  #end: number | undefined;

  /** Waits for a turn in which there is time left. */
  async mine(): Promise<void> {
    while (this.#end !== undefined && performance.now() > this.#end) await nextTurn();
    if (this.#end !== undefined) return;
    this.#end = performance.now() + TURN_MS;
    setImmediate(() => {
      this.#end = undefined;
    });
  }
}
