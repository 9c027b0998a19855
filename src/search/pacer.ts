import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time slice of work before other requests are served, ms. */
const SLICE_MS = 8;

/** Divides long work into time slices so that it does not block the event loop, and enforces a time budget. */
export class Pacer {
  private readonly end: number;
  private sliceEnd: number;

  /**
   * @param budgetMs from now on; after it {@link expired} is true
   * @param gate when it returns a promise, a pause lasts until that promise resolves
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

  /** True once the budget is used up or the caller has cancelled: stop, and answer with what was found. */
  get expired(): boolean {
    return this.signal?.aborted === true || performance.now() > this.end;
  }

  /** True when the current time slice is used up; then await {@link pause}. */
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
