/** A property to find a value for. */
export interface FieldSpec {
  readonly name: string;
  readonly type: FieldType;
  readonly description?: string | undefined;
  /** Allowed values, for `text` and for the items of a `list`; undefined = any. */
  readonly values?: readonly string[] | undefined;
  /** The required form of a text. */
  readonly kind?: 'email' | 'url' | undefined;
}

/** The types of properties in Obsidian. */
export const FIELD_TYPES = ['text', 'number', 'checkbox', 'date', 'datetime', 'list'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const MOST_CHARACTERS = 1000;
const MOST_ITEMS = 50;
const CHECKED: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

/**
 * Converts a value to a type: one line of text, a finite number, a date as `2026-01-31`, a date with time as
 * `2026-01-31T10:00:00` without its time zone, or a list without duplicates.
 *
 * @returns undefined when the value does not have the type or is not allowed
 */
export function coerce(
  value: unknown,
  { type, values }: Pick<FieldSpec, 'type' | 'values'>,
): unknown | undefined {
  switch (type) {
    case 'text':
      return text(value, values);
    case 'number':
      return number(value);
    case 'checkbox':
      return typeof value === 'boolean' ? value : CHECKED[String(value).trim().toLowerCase()];
    case 'date':
      return typeof value === 'string' ? day(value) : undefined;
    case 'datetime':
      return typeof value === 'string' ? time(value) : undefined;
    case 'list':
      return list(value, values);
  }
}

function text(value: unknown, values: readonly string[] | undefined): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const line = String(value).replace(/\s+/g, ' ').trim();
  if (line === '' || line.length > MOST_CHARACTERS) return undefined;
  if (values === undefined) return line;
  return values.find((allowed) => allowed.toLowerCase() === line.toLowerCase());
}

function number(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

function list(value: unknown, values: readonly string[] | undefined): string[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_ITEMS) return undefined;
  const items = value.map((item) => text(item, values));
  const known = [...new Set(items.filter((item) => item !== undefined))];
  return known.length === 0 ? undefined : known;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const ISO_DAY = /(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/g;
const DAY_FIRST = /(\d{1,2})(?:st|nd|rd|th)? +([a-z]{3,})\.?,? +(\d{4})/gi;
const MONTH_FIRST = /\b([a-z]{3,})\.? +(\d{1,2})(?:st|nd|rd|th)?,? +(\d{4})/gi;

/**
 * Parses a date: `2026-01-31`, `2026/1/31`, `31 January 2026`, `Jan 31, 2026`. `31.1.2026` and `1/31/2026`
 * are not accepted, because the order of day and month is ambiguous.
 *
 * @returns the date as `2026-01-31`; undefined for any other text
 */
export function day(written: string): string | undefined {
  const trimmed = written.trim();
  const found = dayIn(trimmed);
  return found !== undefined && found.length === trimmed.length ? found.day : undefined;
}

/** The first date in a text. `start` and `length` are in UTF-16 code units. */
export function dayIn(text: string): { day: string; start: number; length: number } | undefined {
  const read = [
    match(ISO_DAY, ([, y, m, d]) => [y, m, d]),
    match(DAY_FIRST, ([, d, m, y]) => [y, month(m), d]),
    match(MONTH_FIRST, ([, m, d, y]) => [y, month(m), d]),
  ].filter((found) => found !== undefined);
  return read.sort((a, b) => a.start - b.start)[0];

  function match(pattern: RegExp, parts: (found: RegExpExecArray) => (string | undefined)[]) {
    for (const found of text.matchAll(pattern)) {
      if (isWithin(text, found.index, found[0].length)) continue;
      const day = valid(...(parts(found) as [string?, string?, string?]));
      if (day !== undefined) return { day, start: found.index, length: found[0].length };
    }
    return undefined;
  }
}

/** Whether digits precede or follow: then it is part of a longer number. */
function isWithin(text: string, start: number, length: number): boolean {
  return /\d/.test(text[start - 1] ?? '') || /\d/.test(text[start + length] ?? '');
}

/** The number of a month by its English name, or an abbreviation of at least three letters. */
function month(name: string | undefined): string | undefined {
  const at = MONTHS.findIndex((full) => full.startsWith((name ?? '').toLowerCase()));
  return at === -1 ? undefined : String(at + 1);
}

function valid(y?: string, m?: string, d?: string): string | undefined {
  if (y === undefined || m === undefined || d === undefined) return undefined;
  const written = `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`;
  const date = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written) ? written : undefined;
}

function time(written: string): string | undefined {
  const found = /^(\S+)[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/.exec(
    written.trim(),
  );
  const date = found?.[1] === undefined ? undefined : day(found[1]);
  return found === null || date === undefined
    ? undefined
    : `${date}T${found[2]}:${found[3]}:${found[4] ?? '00'}`;
}
