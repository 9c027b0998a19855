import { pathOf, toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import type { DurationValue } from '../values/duration-value.ts';
import { type FileValue, isTruthy, LinkValue, typeOf, type Value } from '../values/value.ts';
import { type Callable, type Method, method } from './call.ts';
import { fileHasLink, hasTag, inFolder } from './file-methods.ts';
import { toFile } from './global-functions.ts';
import { LIST_METHODS, OBJECT_METHODS } from './list-methods.ts';
import { REGEX_METHODS, TEXT_METHODS, whole } from './text-methods.ts';

const ANY = Number.POSITIVE_INFINITY;

/** Other names that `isType` accepts, with the type's name. */
const TYPE_WORDS: Readonly<Record<string, string>> = { array: 'list', regex: 'regexp' };

/** Methods of every value, including null; the first value is the one the method is called on. */
export const ANY_METHODS: Readonly<Record<string, Callable>> = {
  isTruthy: { min: 0, max: 0, run: ([self = null]) => isTruthy(self) },
  isType: {
    min: 1,
    max: 1,
    run: ([self = null, type = null]) => {
      const wanted = toText(type).toLowerCase();
      return typeOf(self) === (TYPE_WORDS[wanted] ?? wanted);
    },
  },
  toString: { min: 0, max: 0, run: ([self = null]: readonly Value[]) => toText(self) },
  isEmpty: { min: 0, max: 0, run: ([self = null]) => self === null },
};

const NUMBER_METHODS: Readonly<Record<string, Method>> = {
  abs: method<number>(0, 0, (self) => Math.abs(self)),
  ceil: method<number>(0, 0, (self) => Math.ceil(self)),
  floor: method<number>(0, 0, (self) => Math.floor(self)),
  round: method<number>(0, 1, (self, [digits = 0], context) => rounded(self, digitsOf(digits, context))),
  toFixed: method<number>(1, 1, (self, [digits = null], context) => self.toFixed(digitsOf(digits, context))),
  isEmpty: method<number>(0, 0, () => false),
};

function digitsOf(value: Value, context: Parameters<typeof whole>[1]): number {
  const digits = whole(value, context);
  return digits >= 0 && digits <= 20 ? digits : context.fail('Digits go from 0 to 20.');
}

/** Rounds by the decimal notation, so that 1.005 to two digits is 1.01 and not 1.00. */
function rounded(value: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const moved = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  const [whole = '', power = '0'] = String(moved).split('e');
  return Number(`${whole}e${Number(power) - digits}`);
}

const DATE_METHODS: Readonly<Record<string, Method>> = {
  date: method<DateValue>(0, 0, (self) => self.day),
  time: method<DateValue>(0, 0, (self) => self.format('HH:mm:ss')),
  format: method<DateValue>(1, 1, (self, [pattern = null]) => self.format(toText(pattern))),
  relative: method<DateValue>(0, 0, (self, _, { now }) => relative(self.wallMs - now.wallMs)),
  isEmpty: method<DateValue>(0, 0, () => false),
};

/** A time difference in the words of Moment.js's `fromNow` in English. */
function relative(ms: number): string {
  const text = distance(Math.abs(ms) / 1000);
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

function distance(seconds: number): string {
  const [minutes, hours, days] = [seconds / 60, seconds / 3600, seconds / 86_400];
  if (seconds < 44.5) return 'a few seconds';
  if (seconds < 89.5) return 'a minute';
  if (minutes < 44.5) return `${Math.round(minutes)} minutes`;
  if (minutes < 89.5) return 'an hour';
  if (hours < 21.5) return `${Math.round(hours)} hours`;
  if (hours < 35.5) return 'a day';
  if (days < 25.5) return `${Math.round(days)} days`;
  if (days < 45.5) return 'a month';
  if (days < 319.5) return `${Math.round(days / 30.44)} months`;
  return days < 547.5 ? 'a year' : `${Math.round(days / 365.25)} years`;
}

const FILE_METHODS: Readonly<Record<string, Method>> = {
  asLink: method<FileValue>(0, 1, ({ path }, [display = null], context) =>
    linkTo(path, display, context.source),
  ),
  hasLink: method<FileValue>(1, 1, ({ path }, [to = null], context) => fileHasLink(path, to, context)),
  linksTo: method<FileValue>(1, 1, ({ path }, [to = null], context) => fileHasLink(path, to, context)),
  hasTag: method<FileValue>(1, ANY, ({ path }, tags, { lookup }) => hasTag(lookup.facts(path), tags)),
  hasProperty: method<FileValue>(1, 1, ({ path }, [name = null], { lookup }) => {
    const wanted = toText(name).toLowerCase();
    return Object.keys(lookup.facts(path)?.properties ?? {}).some((key) => key.toLowerCase() === wanted);
  }),
  inFolder: method<FileValue>(1, 1, ({ path }, [folder = null]) => inFolder(path, toText(folder))),
  isEmpty: method<FileValue>(0, 0, () => false),
};

function linkTo(path: string, display: Value, source: string): LinkValue {
  return new LinkValue(path, source, display === null ? undefined : toText(display));
}

const LINK_METHODS: Readonly<Record<string, Method>> = {
  asFile: method<LinkValue>(0, 0, (self, _, context) => toFile(self, context)),
  linksTo: method<LinkValue>(1, 1, (self, [to = null], context) => {
    const path = pathOf(self, context.lookup);
    return path === undefined ? false : fileHasLink(path, to, context);
  }),
  isEmpty: method<LinkValue>(0, 0, ({ target }) => target === ''),
};

/** A link also has the methods of a text, applied to the text it displays. */
const TEXT_OF_LINK: Readonly<Record<string, Method>> = Object.fromEntries(
  Object.entries(TEXT_METHODS)
    .filter(([name]) => name !== 'isEmpty')
    .map(([name, { min, max, run }]) => [
      name,
      method<LinkValue>(min, max, (self, values, context) => run(toText(self) as never, values, context)),
    ]),
);

/** The methods of each type of value, besides {@link ANY_METHODS}. */
export const METHODS: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
  string: TEXT_METHODS,
  number: NUMBER_METHODS,
  boolean: { isEmpty: method<boolean>(0, 0, () => false) },
  date: DATE_METHODS,
  duration: { isEmpty: method<DurationValue>(0, 0, () => false) },
  list: LIST_METHODS,
  object: OBJECT_METHODS,
  link: { ...TEXT_OF_LINK, ...LINK_METHODS },
  file: FILE_METHODS,
  regexp: REGEX_METHODS,
  html: {},
  image: {},
  icon: {},
};

/** The value of a field of a date or duration; undefined when there is no such field. */
export function timeField(value: DateValue | DurationValue, name: string): number | undefined {
  return value instanceof DateValue ? dateField(value, name) : durationField(value, name);
}

function dateField({ wallMs }: DateValue, name: string): number | undefined {
  const date = new Date(wallMs);
  const fields: Readonly<Record<string, number>> = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

const FIELD_MS: Readonly<Record<string, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
};

/** Each field is the total length in its unit, with a fraction. */
function durationField({ totalMs }: DurationValue, name: string): number | undefined {
  const unit = Object.hasOwn(FIELD_MS, name) ? FIELD_MS[name] : undefined;
  return unit === undefined ? undefined : totalMs / unit;
}
