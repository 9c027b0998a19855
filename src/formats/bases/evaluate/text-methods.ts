import { toText } from '../values/compare.ts';
import { RegexValue, type Value } from '../values/value.ts';
import { MAX_ITEMS, MAX_TEXT } from './budget.ts';
import { type CallContext, type Method, method } from './call.ts';
import { compileRegex } from './regex.ts';

const ANY = Number.POSITIVE_INFINITY;

/** Whether a text contains another, ignoring case. */
function includes(text: string, part: Value): boolean {
  return text.toLowerCase().includes(toText(part).toLowerCase());
}

export const TEXT_METHODS: Readonly<Record<string, Method>> = {
  contains: method<string>(1, 1, (text, [part = null]) => includes(text, part)),
  containsAll: method<string>(1, ANY, (text, parts) =>
    parts.flat().every((part) => includes(text, part as Value)),
  ),
  containsAny: method<string>(1, ANY, (text, parts) =>
    parts.flat().some((part) => includes(text, part as Value)),
  ),
  startsWith: method<string>(1, 1, (text, [part = null]) => text.startsWith(toText(part))),
  endsWith: method<string>(1, 1, (text, [part = null]) => text.endsWith(toText(part))),
  isEmpty: method<string>(0, 0, (text) => text === ''),
  lower: method<string>(0, 0, (text) => text.toLowerCase()),
  title: method<string>(0, 0, (text) =>
    text.replace(
      /\p{L}[\p{L}\p{M}\p{N}'’]*/gu,
      (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    ),
  ),
  trim: method<string>(0, 0, (text) => text.trim()),
  reverse: method<string>(0, 0, (text) => [...text].reverse().join('')),
  repeat: method<string>(1, 1, (text, [count = null], context) => {
    const times = whole(count, context);
    if (times < 0) return context.fail('A text cannot be repeated fewer than no times.');
    if (text.length * times > MAX_TEXT) return context.fail('The text grows too long.');
    return text.repeat(times);
  }),
  slice: method<string>(1, 2, (text, [from = null, to = null], context) =>
    text.slice(whole(from, context), to === null ? undefined : whole(to, context)),
  ),
  split: method<string>(1, 2, (text, [by = null, most = null], context) => {
    const limit = most === null ? MAX_ITEMS : Math.min(whole(most, context), MAX_ITEMS);
    context.spend(Math.min(text.length, MAX_ITEMS));
    if (by instanceof RegexValue) return compileRegex(by, context).split(text).slice(0, limit);
    return text.split(toText(by), limit);
  }),
  replace: method<string>(2, 2, (text, [from = null, to = null], context) => {
    context.spend(Math.min(text.length, MAX_ITEMS));
    const result =
      from instanceof RegexValue
        ? compileRegex(from, context).replace(text, toText(to))
        : replacedAll(text, toText(from), toText(to), context);
    return result.length > MAX_TEXT ? context.fail('The text grows too long.') : result;
  }),
};

/** Replaces all occurrences; the length is computed and checked before the result is built. */
function replacedAll(text: string, from: string, to: string, { fail }: CallContext): string {
  if (from === '') return text;
  const parts = text.split(from);
  if (text.length + (parts.length - 1) * (to.length - from.length) > MAX_TEXT)
    return fail('The text grows too long.');
  return parts.join(to);
}

export const REGEX_METHODS: Readonly<Record<string, Method>> = {
  matches: method<RegexValue>(1, 1, (regex, [text = null], context) => {
    context.spend(100);
    return compileRegex(regex, context).test(toText(text));
  }),
};

/**
 * A finite number without its fraction, for positions and counts.
 *
 * @throws ExpressionError for any other value
 */
export function whole(value: Value, { fail }: CallContext): number {
  if (typeof value === 'number' && Number.isFinite(value)) return Math.trunc(value);
  return fail('A whole number is wanted here.');
}
