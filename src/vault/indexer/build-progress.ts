import type { IndexState } from '../session.ts';

/** Before this time, ms, the rate is not reliable: the first files are read while threads start. */
const LEAST_MS = 500;

/** Estimates the remaining time of a build from its progress. */
export class BuildProgress {
  #first: { readonly done: number; readonly at: number } | undefined;
  #last: { readonly done: number; readonly total: number; readonly at: number } | undefined;

  /** @param now ms of a monotonic clock */
  note({ state, done, total }: IndexState, now: number): void {
    if (state !== 'building' || total === 0 || done < (this.#last?.done ?? 0)) {
      this.#first = undefined;
      this.#last = undefined;
    }
    if (state !== 'building' || total === 0) return;
    this.#first ??= { done, at: now };
    this.#last = { done, total, at: now };
  }

  /** True when the rest will take longer than `limitMs` at the current rate; false while there is no rate yet. */
  takesLongerThan(limitMs: number): boolean {
    if (this.#first === undefined || this.#last === undefined) return false;
    const ms = this.#last.at - this.#first.at;
    const done = this.#last.done - this.#first.done;
    if (ms < LEAST_MS) return false;
    return done === 0 || ((this.#last.total - this.#last.done) * ms) / done > limitMs;
  }
}
