import type { DateValue } from '../values/date-value.ts';
import type { Value } from '../values/value.ts';
import type { Lookup } from './facts.ts';

/** What a function may use beside its arguments. */
export interface CallContext {
  readonly lookup: Lookup;
  /** The wall-clock time of the whole query. */
  readonly now: DateValue;
  /** Path of the file the row is for. */
  readonly source: string;
  /** Counts work against the expression's budget. */
  spend(steps: number): void;
  /** Raises an error at the place of the call. */
  fail(message: string): never;
}

/** One function or method: how many arguments it takes, and what it does. */
export interface Callable {
  readonly min: number;
  readonly max: number;
  run(values: readonly Value[], context: CallContext): Value;
}

/** A method also has the value it is called on. */
export interface Method {
  readonly min: number;
  readonly max: number;
  run(self: never, values: readonly Value[], context: CallContext): Value;
}

/** Checked where methods are defined, so that `self` has its type there. */
export function method<Self extends Value>(
  min: number,
  max: number,
  run: (self: Self, values: readonly Value[], context: CallContext) => Value,
): Method {
  return { min, max, run: run as Method['run'] };
}
