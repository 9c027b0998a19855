import { formatWallTime } from '../../date-format.ts';
import type { DurationValue } from './duration-value.ts';

const FORMS = [
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/,
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$/,
] as const;

const BEGINS = /^\s*\d/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The years a date can have: those that four digits write. */
const MIN_MS = Date.UTC(0, 0, 1) - 1900 * 366 * 86_400_000;
const MAX_MS = Date.UTC(10_000, 0, 1);

/**
 * A wall-clock time: what a calendar and a clock show, without a time zone, as dates in properties are
 * meant. Instants (a file's times, a date with an offset) are shown as this machine's clock shows them.
 */
export class DateValue {
  readonly type = 'date';
  /** Milliseconds since 1970 of the wall-clock time read as UTC. */
  readonly wallMs: number;
  /** False for a day without a time of day. */
  readonly hasTime: boolean;

  constructor(wallMs: number, hasTime: boolean) {
    this.wallMs = wallMs;
    this.hasTime = hasTime;
  }

  /** ISO 8601 (`2024-02-05`, with `T` or a blank and a time), `YYYYMMDD` and `YYYYMMDDHHmm`; undefined for any other text. */
  static parse(text: string): DateValue | undefined {
    // Asked of every text that is compared with another.
    if (!BEGINS.test(text)) return undefined;
    if (DAY.test(text)) return DateValue.#ofDay(text);
    for (const form of FORMS) {
      const match = form.exec(text.trim());
      if (match === null) continue;
      const [, year, month, day, hour, minute, second, fraction, zone] = match;
      const ms = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
      return DateValue.#from(
        [year, month, day, hour, minute, second].map((part) => Number(part ?? 0)),
        ms,
        hour !== undefined,
        zone,
      );
    }
    return undefined;
  }

  /** `2024-02-05`, as nearly all dates of properties are written. */
  static #ofDay(text: string): DateValue | undefined {
    const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
    // Date.UTC takes the years up to 99 for those of 1900.
    if (year < 100) return DateValue.#from([year, month, day], 0, false, undefined);
    const wallMs = Date.UTC(year, month - 1, day);
    const isDay =
      month >= 1 && month <= 12 && day >= 1 && (day <= 28 || new Date(wallMs).getUTCDate() === day);
    return isDay ? new DateValue(wallMs, false) : undefined;
  }

  static #from(
    parts: readonly number[],
    ms: number,
    hasTime: boolean,
    zone: string | undefined,
  ): DateValue | undefined {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute, second, ms);
    // 31 February and 25:00 roll over in a Date and are no dates.
    if (
      date.getUTCMonth() !== month - 1 ||
      date.getUTCDate() !== day ||
      hour > 23 ||
      minute > 59 ||
      second > 59
    )
      return undefined;
    if (zone === undefined) return new DateValue(date.getTime(), hasTime);
    const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
    return DateValue.ofInstant(date.getTime() - offset);
  }

  /** An instant as this machine's clock shows it. */
  static ofInstant(epochMs: number): DateValue {
    const at = new Date(epochMs);
    return new DateValue(
      Date.UTC(
        at.getFullYear(),
        at.getMonth(),
        at.getDate(),
        at.getHours(),
        at.getMinutes(),
        at.getSeconds(),
        at.getMilliseconds(),
      ),
      true,
    );
  }

  /** The same clock time after a duration; a day that a month does not have becomes its last. Undefined beyond the year 9999. */
  plus({ months, ms }: DurationValue, sign: 1 | -1 = 1): DateValue | undefined {
    const whole = Math.trunc(months) * sign;
    const date = new Date(this.wallMs);
    if (whole !== 0) {
      const day = date.getUTCDate();
      date.setUTCDate(1);
      date.setUTCMonth(date.getUTCMonth() + whole);
      const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
      date.setUTCDate(Math.min(day, last));
    }
    const rest = (months - Math.trunc(months)) * 30 * 86_400_000;
    const wallMs = date.getTime() + sign * (ms + rest);
    if (!(wallMs >= MIN_MS && wallMs < MAX_MS)) return undefined;
    return new DateValue(wallMs, this.hasTime || wallMs % 86_400_000 !== 0);
  }

  /** The day alone. */
  get day(): DateValue {
    return new DateValue(Math.floor(this.wallMs / 86_400_000) * 86_400_000, false);
  }

  /** In the notation of Moment.js. */
  format(pattern: string): string {
    return formatWallTime(pattern, new Date(this.wallMs));
  }

  /** `2024-02-05`, with the time of day when it has one: `2024-02-05 13:07:00`. */
  toString(): string {
    return this.format(this.hasTime ? 'YYYY-MM-DD HH:mm:ss' : 'YYYY-MM-DD');
  }

  /** `2024-02-05` or `2024-02-05T13:07:00`, as programs read it. */
  toIso(): string {
    return this.format(this.hasTime ? 'YYYY-MM-DD[T]HH:mm:ss' : 'YYYY-MM-DD');
  }
}
