import type { ValueTest } from '../../../notes/file-condition.ts';
import { DateValue } from '../values/date-value.ts';
import { PROPERTY_DATE } from '../values/from-property.ts';
import type { Value } from '../values/value.ts';

const FILLED: readonly ValueTest[] = [{ is: 'filled' }];
/** Largest difference between the date a text begins with and its date in this machine's time zone, days. */
const ZONE_DAYS = 6;
const DAY_MS = 86_400_000;
/** Ranges of texts that may be links: they begin with white space, `!` or `[`. */
const LINKS: readonly ValueTest[] = [
  { is: 'between', from: '', to: '"' },
  { is: 'between', from: '[', to: '\\' },
];

/**
 * Tests that every property value passes which compares so to a constant; undefined when a file without the
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

/** Tests that every property value passes which contains the constant: as an equal item, or within a text. */
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

/** A text that is a numeral begins with a digit, a sign, a point or white space. */
function numberTests(value: number): readonly ValueTest[] {
  if (!Number.isFinite(value)) return FILLED;
  return [
    { is: 'number', min: value, max: value },
    { is: 'between', from: '', to: ':' },
    { is: 'between', from: '\u0080', to: '\u{10FFFF}' },
  ];
}

/** A text equals itself, the same date in another form, a link to it, and the number it is the numeral of. */
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

/** `2024-02-05`; undefined for a year that four digits cannot write. */
function day(wallMs: number): string | undefined {
  const text = new Date(wallMs).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : undefined;
}
