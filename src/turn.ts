import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time of one turn of the event loop that work of one kind may take, ms. */
const TURN_MS = 8;

/**
 * Distributes turns of the event loop among short pieces of work that never wait for anything. Many of them
 * in a row would run in one turn, despite every `await`.
 */
export class Turn {
  #end: number | undefined;

  /** Waits for a turn with time left. */
  async mine(): Promise<void> {
    while (this.#end !== undefined && performance.now() > this.#end) await nextTurn();
    if (this.#end !== undefined) return;
    this.#end = performance.now() + TURN_MS;
    setImmediate(() => {
      this.#end = undefined;
    });
  }
}
