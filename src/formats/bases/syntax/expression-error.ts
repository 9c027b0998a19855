import { closest } from '../../../nearest.ts';

/** Why an expression has no value, and where in its text. Stays in the cell or the filter it happened in. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Offsets in the expression's text, UTF-16 units. */
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    // One may stand in thousands of cells, and nobody reads where in this program it was thrown.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.start = start;
    this.end = Math.max(start, end);
  }
}

/**
 * A name that stands for nothing, with the one that was probably meant.
 * @param what the sentence without its end: `There is no function x()`
 */
export function unknownName(
  what: string,
  name: string,
  names: readonly string[],
  start: number,
  end: number,
): ExpressionError {
  const meant = closest(name, names);
  return new ExpressionError(`${what}${meant === undefined ? '' : `; did you mean ${meant}`}.`, start, end);
}
