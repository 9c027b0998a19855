import type { ValueTest } from '../../../notes/file-condition.ts';
import { DateValue } from '../values/date-value.ts';
import { PROPERTY_DATE } from '../values/from-property.ts';
import type { Value } from '../values/value.ts';

const FILLED: readonly ValueTest[] = [{ is: 'filled' }];
/** A day that a text begins with is this far at most from the one its time zone makes of it. */
const ZONE_DAYS = 6;
const DAY_MS = 86_400_000;
/** Texts that are links: after blanks, with or without a mark of embedding. */
const LINKS: readonly ValueTest[] = [
  { is: 'between', from: '', to: '"' },
  { is: 'between', from: '[', to: '\\' },
];

/**
 * Which values of a property compare so to one that is the same for all files; undefined when a file without the
 * property may match.
 */
export function comparisonTests(operator: string, value: Value): readonly ValueTest[] | undefined {
  switch (operator) {
    case '==':
      return value === null ? undefined : equalTests(value);
    case '!=':
      return value === null ? FILLED : undefined;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return value === null ? FILLED : orderTests(operator.startsWith('<') ? 'to' : 'from', value);
    default:
      return undefined;
  }
}

/** Which values contain one: an item that is equal, or a text around it. */
export function containsTests(value: Value): readonly ValueTest[] {
  if (value === null || typeof value === 'object') return FILLED;
  return [...equalTests(value), { is: 'text' }];
}

function equalTests(value: Value): readonly ValueTest[] {
  switch (typeof value) {
    case 'boolean':
      return [{ is: 'equal', value: String(value) }];
    case 'number':
      return numberTests(value);
    case 'string':
      return textTests(value);
    default:
      return value instanceof DateValue ? [dated(value, 'both')] : FILLED;
  }
}

/** Texts that are numerals begin with a digit, a sign, a point or a blank. */
function numberTests(value: number): readonly ValueTest[] {
  if (!Number.isFinite(value)) return FILLED;
  return [
    { is: 'number', min: value, max: value },
    { is: 'between', from: '', to: ':' },
    { is: 'between', from: '\u0080', to: '\u{10FFFF}' },
  ];
}

/** A text equals itself, a date that is written otherwise, a link to it, a number it is the numeral of. */
function textTests(value: string): readonly ValueTest[] {
  const equal: readonly ValueTest[] = [{ is: 'equal', value }, ...LINKS];
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isNaN(number)) return [...equal, ...numberTests(number), { is: 'text' }];
  const date = DateValue.parse(value);
  if (date === undefined) return equal;
  return PROPERTY_DATE.test(value) ? [...equal, dayRange(date, 'both')] : [...equal, { is: 'text' }];
}

function orderTests(bound: 'from' | 'to', value: Value): readonly ValueTest[] {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return FILLED;
    return [{ is: 'number', ...(bound === 'from' ? { min: value } : { max: value }) }, { is: 'text' }];
  }
  if (value instanceof DateValue) return [dated(value, bound)];
  if (typeof value !== 'string') return FILLED;
  const date = PROPERTY_DATE.test(value) ? DateValue.parse(value) : undefined;
  return date === undefined ? FILLED : [dated(date, bound)];
}

function dated(date: DateValue, bound: 'from' | 'to' | 'both'): ValueTest {
  const range = days(date, bound);
  return { is: 'dated', ...range };
}

function dayRange(date: DateValue, bound: 'from' | 'to' | 'both'): ValueTest {
  const { from = '0', to = ':' } = days(date, bound);
  return { is: 'between', from, to };
}

function days({ wallMs }: DateValue, bound: 'from' | 'to' | 'both'): { from?: string; to?: string } {
  const from = bound === 'to' ? undefined : day(wallMs - ZONE_DAYS * DAY_MS);
  const to = bound === 'from' ? undefined : day(wallMs + ZONE_DAYS * DAY_MS);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** `2024-02-05`; undefined for a year that four digits do not write. */
function day(wallMs: number): string | undefined {
  const text = new Date(wallMs).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}
