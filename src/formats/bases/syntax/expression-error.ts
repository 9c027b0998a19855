import { closest } from '../../../nearest.ts';

/** Why an expression has no value, and the span in its text. It affects only its own cell or filter. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Offsets in the expression's text, UTF-16 code units. */
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    // Thousands of cells may each hold an error, and nothing reads its stack trace.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.start = start;
    this.end = Math.max(start, end);
  }
}

/**
 * The error for an unknown name; it suggests the closest known one.
 *
 * @param what the sentence without its period: `There is no function x()`
 * @param names the known names
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
