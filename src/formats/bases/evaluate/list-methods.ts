import { compared, holds, isEqual, sortOrder, toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { DurationValue } from '../values/duration-value.ts';
import { isList, isTruthy, type ObjectValue, type Value } from '../values/value.ts';
import { MAX_ITEMS, MAX_TEXT } from './budget.ts';
import { type CallContext, type Method, method } from './call.ts';
import { whole } from './text-methods.ts';

const ANY = Number.POSITIVE_INFINITY;
type List = readonly Value[];

/**
 * The wanted values of `containsAll` and `containsAny`, which may be given as one list or as separate
 * arguments.
 */
const wantedOf = (values: List): List => values.flatMap((value) => (isList(value) ? value : [value]));

export const LIST_METHODS: Readonly<Record<string, Method>> = {
  contains: method<List>(1, 1, (list, [value = null], { lookup, spend }) => {
    spend(list.length);
    return holds(list, value, lookup);
  }),
  containsAll: method<List>(1, ANY, (list, values, { lookup, spend }) => {
    const wanted = wantedOf(values);
    spend(list.length * wanted.length);
    return wanted.every((value) => holds(list, value, lookup));
  }),
  containsAny: method<List>(1, ANY, (list, values, { lookup, spend }) => {
    const wanted = wantedOf(values);
    spend(list.length * wanted.length);
    return wanted.some((value) => holds(list, value, lookup));
  }),
  isEmpty: method<List>(0, 0, (list) => list.length === 0),
  join: method<List>(1, 1, (list, [between = null], { fail }) => {
    const text = list.map(toText).join(toText(between));
    return text.length > MAX_TEXT ? fail('The text grows too long.') : text;
  }),
  reverse: method<List>(0, 0, (list) => [...list].reverse()),
  slice: method<List>(1, 2, (list, [from = null, to = null], context) =>
    [...list].slice(whole(from, context), to === null ? undefined : whole(to, context)),
  ),
  flat: method<List>(0, 0, (list, _, { fail, spend }) => {
    const flat: Value[] = [];
    const take = (items: List): void => {
      for (const item of items) {
        if (isList(item)) take(item);
        else flat.push(item);
        if (flat.length > MAX_ITEMS) fail('The list grows too long.');
      }
    };
    take(list);
    spend(flat.length);
    return flat;
  }),
  sort: method<List>(0, 0, (list, _, { spend }) => {
    spend(list.length * 8);
    return [...list].sort((left, right) => sortOrder(left, right, 1));
  }),
  unique: method<List>(0, 0, (list, _, context) => unique(list, context)),
  sum: method<List>(0, 0, (list) => numbersOf(list).reduce((sum, number) => sum + number, 0)),
  mean: method<List>(0, 0, (list) => {
    const numbers = numbersOf(list);
    return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  }),
  min: method<List>(0, 0, (list) => extreme(list, -1)),
  max: method<List>(0, 0, (list) => extreme(list, 1)),
};

/** Removes duplicates: primitive values by a set, other values by comparing with each one that is kept. */
function unique(list: List, { lookup, spend }: Pick<CallContext, 'lookup' | 'spend'>): List {
  const seen = new Set<Value>();
  const others: Value[] = [];
  return list.filter((value) => {
    if (typeof value !== 'object' || value === null) {
      if (seen.has(value)) return false;
      seen.add(value);
      return true;
    }
    spend(others.length + 1);
    if (others.some((other) => isEqual(other, value, lookup))) return false;
    others.push(value);
    return true;
  });
}

/** The finite numbers of a list, and its durations in milliseconds; other items are left out. */
export function numbersOf(list: List): readonly number[] {
  return list.flatMap((value) => {
    if (typeof value === 'number') return Number.isFinite(value) ? [value] : [];
    return value instanceof DurationValue ? [value.totalMs] : [];
  });
}

function extreme(list: List, sign: 1 | -1): Value {
  let best: Value = null;
  for (const value of list) {
    if (typeof value !== 'number' && !(value instanceof DateValue) && !(value instanceof DurationValue))
      continue;
    if (best === null || (compared(value, best) ?? 0) * sign > 0) best = value;
  }
  return best;
}

export const OBJECT_METHODS: Readonly<Record<string, Method>> = {
  keys: method<ObjectValue>(0, 0, ({ entries }) => [...entries.keys()]),
  values: method<ObjectValue>(0, 0, ({ entries }) => [...entries.values()]),
  isEmpty: method<ObjectValue>(0, 0, ({ entries }) => entries.size === 0),
};

/** Methods whose argument is evaluated once per item. */
export const LIST_LAMBDAS = ['filter', 'map', 'reduce'] as const;
export type ListLambda = (typeof LIST_LAMBDAS)[number];

/**
 * Runs `filter`, `map` or `reduce`.
 *
 * @param each evaluates the first argument with `value`, `index` and, for `reduce`, `acc`
 */
export function runLambda(
  name: ListLambda,
  list: List,
  initial: Value,
  each: (value: Value, index: number, accumulated?: Value) => Value,
): Value {
  switch (name) {
    case 'filter':
      return list.filter((value, index) => isTruthy(each(value, index)));
    case 'map':
      return list.map((value, index) => each(value, index));
    case 'reduce':
      return list.reduce((accumulated, value, index) => each(value, index, accumulated), initial);
  }
}
