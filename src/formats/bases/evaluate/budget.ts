import { ExpressionError } from '../syntax/expression-error.ts';

/** Most steps of one evaluation of an expression for one file; expressions that people write take far fewer. */
const MAX_STEPS = 200_000;
/** Deepest chain of formulas that refer to one another. */
const MAX_DEPTH = 100;
/** Longest text (UTF-16 code units) and list (items) that an expression may produce. */
export const MAX_TEXT = 1_000_000;
export const MAX_ITEMS = 100_000;

/**
 * Limits the work of one evaluation of an expression for one file. It counts steps and not time, so that the
 * same evaluation always has the same result.
 */
export class Budget {
  #steps = 0;
  #depth = 0;

  /**
   * @param start span in the expression, UTF-16 code units, for the error
   * @param weight size of the step, e.g. the number of items of a list that is iterated
   * @throws ExpressionError when the budget is spent
   */
  step(start: number, end: number, weight = 1): void {
    this.#steps += weight;
    if (this.#steps > MAX_STEPS)
      throw new ExpressionError('The expression takes too many steps.', start, end);
  }

  /** Runs the work of a formula one level deeper. @throws ExpressionError when formulas nest too deep */
  deeper<T>(start: number, end: number, work: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new ExpressionError('Formulas are nested too deep.', start, end);
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }
}
