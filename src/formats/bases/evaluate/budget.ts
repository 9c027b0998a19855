import { ExpressionError } from '../syntax/expression-error.ts';

/** Steps of one expression for one file: far more than any that a person writes takes. */
const MAX_STEPS = 200_000;
const MAX_DEPTH = 100;
/** Longest text and list that an expression may make, UTF-16 units and items. */
export const MAX_TEXT = 1_000_000;
export const MAX_ITEMS = 100_000;

/** What one expression may still spend for one file. Counts, not time: the same expression always ends the same way. */
export class Budget {
  #steps = 0;
  #depth = 0;

  /** @param weight how much work the step is, e.g. the items of a list it walks */
  step(start: number, end: number, weight = 1): void {
    this.#steps += weight;
    if (this.#steps > MAX_STEPS)
      throw new ExpressionError('The expression takes too many steps.', start, end);
  }

  deeper<T>(start: number, end: number, work: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new ExpressionError('Formulas are nested too deep.', start, end);
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}
