/** Long computations give the thread back so that a waiting request is never held longer than a slice. */
export interface Pacer {
  /** Call often; waits for a turn of the event loop when the slice is used up. @throws when aborted */
  pause(): Promise<void>;
}

/** @param sliceMs longest time between two turns of the event loop, ms */
export function createPacer(sliceMs = 8, signal?: AbortSignal): Pacer {
  let since = performance.now();
  return {
    async pause() {
      signal?.throwIfAborted();
      if (performance.now() - since < sliceMs) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      since = performance.now();
    },
  };
}
