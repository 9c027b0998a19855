import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work before other requests get their turn, ms. */
const SLICE_MS = 8;

/** Keeps long work off the event loop's back: asks for turns, knows when the time is used up. */
export class Pacer {
  private readonly end: number;
  private sliceEnd: number;

  /**
   * @param budgetMs from now on; after it {@link expired} is true
   * @param gate while it returns a promise, a pause lasts until that resolves
   */
  constructor(
    budgetMs: number,
    private readonly signal?: AbortSignal,
    private readonly gate?: () => Promise<void> | undefined,
  ) {
    const now = performance.now();
    this.end = now + budgetMs;
    this.sliceEnd = now + SLICE_MS;
  }

  /** True once the time is used up or the caller has gone: stop, and answer with what there is. */
  get expired(): boolean {
    return this.signal?.aborted === true || performance.now() > this.end;
  }

  /** True when the current stretch is long enough; then await {@link pause}. */
  get due(): boolean {
    return performance.now() > this.sliceEnd;
  }

  /** @throws the signal's reason when the caller has gone */
  async pause(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    for (let shut = this.gate?.(); shut; shut = this.gate?.()) await shut;
    this.sliceEnd = performance.now() + SLICE_MS;
  }
}
