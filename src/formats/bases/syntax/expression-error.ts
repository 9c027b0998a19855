/** Why an expression has no value, and where in its text. Stays in the cell or the filter it happened in. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Offsets in the expression's text, UTF-16 units. */
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = Math.max(start, end);
  }
}
