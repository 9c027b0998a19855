import type { DateValue } from '../values/date-value.ts';
import type { Value } from '../values/value.ts';
import type { Lookup } from './facts.ts';

/** What a function may use besides its arguments. */
export interface CallContext {
  readonly lookup: Lookup;
  /** Wall-clock time at the start of the query, the same for every row. */
  readonly now: DateValue;
  /** Path of the row's file, from which links are resolved. */
  readonly source: string;
  /** Charges steps to the expression's budget. @throws ExpressionError when it is spent */
  spend(steps: number): void;
  /** @throws ExpressionError with the span of the call */
  fail(message: string): never;
}

/** A global function, or a method of every value: its range of argument counts and its implementation. */
export interface Callable {
  readonly min: number;
  readonly max: number;
  run(values: readonly Value[], context: CallContext): Value;
}

/** A method of one type; `self` is the value it is called on. */
export interface Method {
  readonly min: number;
  readonly max: number;
  run(self: never, values: readonly Value[], context: CallContext): Value;
}

/** Defines a method whose `self` has a type; the caller must look the method up by that type. */
export function method<Self extends Value>(
  min: number,
  max: number,
  run: (self: Self, values: readonly Value[], context: CallContext) => Value,
): Method {
  return { min, max, run: run as Method['run'] };
}
