import { toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { DurationValue } from '../values/duration-value.ts';
import { readLink, withoutSubpath } from '../values/from-property.ts';
import { FileValue, isList, LinkValue, MarkupValue, typeOf, type Value } from '../values/value.ts';
import type { Callable, CallContext } from './call.ts';

const ANY = Number.POSITIVE_INFINITY;

/** Global functions by name. `if` is not among them, as it evaluates only one of its two branches. */
export const GLOBAL_FUNCTIONS: Readonly<Record<string, Callable>> = {
  date: { min: 1, max: 1, run: ([value = null], context) => toDate(value, context) },
  duration: { min: 1, max: 1, run: ([value = null], context) => toDuration(value, context) },
  now: { min: 0, max: 0, run: (_, { now }) => now },
  today: { min: 0, max: 0, run: (_, { now }) => now.day },
  number: { min: 1, max: 1, run: ([value = null], context) => toNumber(value, context) },
  list: { min: 1, max: 1, run: ([value = null]) => (isList(value) ? value : value === null ? [] : [value]) },
  link: { min: 1, max: 2, run: ([value = null, display = null], context) => toLink(value, display, context) },
  file: { min: 1, max: 1, run: ([value = null], context) => toFile(value, context) },
  min: { min: 1, max: ANY, run: (values, context) => Math.min(...numbers(values, context)) },
  max: { min: 1, max: ANY, run: (values, context) => Math.max(...numbers(values, context)) },
  random: { min: 0, max: 0, run: () => Math.random() },
  html: { min: 1, max: 1, run: ([value = null]) => new MarkupValue('html', toText(value)) },
  image: { min: 1, max: 1, run: ([value = null]) => new MarkupValue('image', toText(value)) },
  icon: { min: 1, max: 1, run: ([value = null]) => new MarkupValue('icon', toText(value)) },
  escapeHTML: { min: 1, max: 1, run: ([value = null]) => escapeHtml(toText(value)) },
};

function toDate(value: Value, { fail }: CallContext): Value {
  if (value instanceof DateValue || value === null) return value;
  if (typeof value === 'number') return DateValue.ofInstant(value);
  return DateValue.parse(toText(value)) ?? fail(`${JSON.stringify(toText(value))} is no date.`);
}

function toDuration(value: Value, { fail }: CallContext): Value {
  if (value instanceof DurationValue || value === null) return value;
  if (typeof value === 'number') return new DurationValue(0, value);
  return DurationValue.parse(toText(value)) ?? fail(`${JSON.stringify(toText(value))} is no duration.`);
}

function toNumber(value: Value, { fail }: CallContext): Value {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof DateValue) return value.wallMs;
  if (value instanceof DurationValue) return value.totalMs;
  if (isList(value) && value.length === 1) return toNumber(value[0] ?? null, { fail } as CallContext);
  const text = toText(value).trim();
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? fail(`${JSON.stringify(text)} is no number.`) : number;
}

function toLink(value: Value, display: Value, { source, fail }: CallContext): Value {
  const shown = display === null ? undefined : toText(display);
  if (value === null) return null;
  if (value instanceof FileValue) return new LinkValue(value.path, source, shown);
  if (value instanceof LinkValue) return new LinkValue(value.target, value.source, shown ?? value.display);
  if (typeof value !== 'string') return fail(`A ${typeOf(value)} cannot be a link.`);
  const written = readLink(value, source) ?? new LinkValue(withoutSubpath(value), source);
  return new LinkValue(written.target, source, shown ?? written.display);
}

/** The file that a path, a link or a name resolves to; null when there is none. */
export function toFile(value: Value, { lookup, source }: CallContext): FileValue | null {
  if (value instanceof FileValue || value === null) return value;
  const link = value instanceof LinkValue ? value : undefined;
  const written = link?.target ?? withoutSubpath(toText(value).replace(/^\[\[|\]\]$/g, ''));
  const path = lookup.resolve(written, link?.source ?? source);
  return path === undefined ? null : new FileValue(path);
}

function numbers(values: readonly Value[], { fail, spend }: CallContext): readonly number[] {
  const flat = values.flatMap((value) => (isList(value) ? value : [value]));
  spend(flat.length);
  return flat.map((value) => {
    if (typeof value === 'number') return value;
    return fail(`min() and max() compare numbers, not a ${typeOf(value)}.`);
  });
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (char) => names[char] ?? char);
}
