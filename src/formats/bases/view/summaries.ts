import type { Lookup } from '../evaluate/facts.ts';
import { numbersOf } from '../evaluate/list-methods.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { compared, isEqual } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { DurationValue } from '../values/duration-value.ts';
import { isList, type Value } from '../values/value.ts';

type Values = readonly Value[];

const isFilled = (value: Value) => value !== null && value !== '' && !(isList(value) && value.length === 0);
const dates = (values: Values) => values.filter((value): value is DateValue => value instanceof DateValue);

function mean(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function median(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Population standard deviation, as the rows are all the data. */
function deviation(numbers: readonly number[]): number | null {
  const average = mean(numbers);
  return average === null ? null : Math.sqrt(mean(numbers.map((number) => (number - average) ** 2)) ?? 0);
}

function extreme<T extends number | DateValue>(values: readonly T[], sign: 1 | -1): T | null {
  return values.reduce<T | null>(
    (best, value) => (best === null || (compared(value, best) ?? 0) * sign > 0 ? value : best),
    null,
  );
}

/** Difference of the largest and smallest number, or else of the latest and earliest date. */
function range(values: Values): Value {
  const numbers = numbersOf(values);
  const [low, high] = [extreme(numbers, -1), extreme(numbers, 1)];
  if (low !== null && high !== null) return high - low;
  const [first, last] = [extreme(dates(values), -1), extreme(dates(values), 1)];
  return first === null || last === null ? null : new DurationValue(0, last.wallMs - first.wallMs);
}

/** The built-in summaries, by lower-cased name. */
const BUILT_IN: Readonly<Record<string, (values: Values, lookup: Lookup) => Value>> = {
  average: (values) => mean(numbersOf(values)),
  min: (values) => extreme(numbersOf(values), -1),
  max: (values) => extreme(numbersOf(values), 1),
  sum: (values) => numbersOf(values).reduce((sum, number) => sum + number, 0),
  range: (values) => range(values),
  median: (values) => median(numbersOf(values)),
  stddev: (values) => deviation(numbersOf(values)),
  earliest: (values) => extreme(dates(values), -1),
  latest: (values) => extreme(dates(values), 1),
  checked: (values) => values.filter((value) => value === true).length,
  unchecked: (values) => values.filter((value) => value === false).length,
  empty: (values) => values.filter((value) => !isFilled(value)).length,
  filled: (values) => values.filter(isFilled).length,
  unique: (values, lookup) => distinct(values.filter(isFilled), lookup),
};

function distinct(values: Values, lookup: Lookup): number {
  const plain = new Set(values.filter((value) => typeof value !== 'object'));
  const others: Value[] = [];
  for (const value of values) {
    if (typeof value !== 'object' || others.some((other) => isEqual(other, value, lookup))) continue;
    others.push(value);
  }
  return plain.size + others.length;
}

/** Names of the built-in summaries as Obsidian shows them. */
const BUILT_IN_SUMMARIES = [
  'Average',
  'Min',
  'Max',
  'Sum',
  'Range',
  'Median',
  'Stddev',
  'Earliest',
  'Latest',
  'Checked',
  'Unchecked',
  'Empty',
  'Filled',
  'Unique',
] as const;

/**
 * Computes a built-in summary; undefined when there is none of that name.
 *
 * @param values the column's values over the shown rows
 * @throws NotLoaded when comparing links needs data that is not loaded
 */
export function builtInSummary(name: string, values: Values, lookup: Lookup): Value | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(BUILT_IN, key) ? BUILT_IN[key]?.(values, lookup) : undefined;
}

/** The error for an unknown summary name. */
export function unknownSummary(name: string): ExpressionError {
  return new ExpressionError(
    `There is no summary ${JSON.stringify(name)}; there are ${BUILT_IN_SUMMARIES.join(', ')}.`,
    0,
    0,
  );
}
