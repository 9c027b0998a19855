import { formatWallTime } from '../../date-format.ts';
import type { DurationValue } from './duration-value.ts';

const FORMS = [
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/,
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?)?$/,
] as const;

const BEGINS = /^\s*\d/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Range of dates, ms since 1970: years that four digits can write. */
const MIN_MS = Date.UTC(0, 0, 1) - 1900 * 366 * 86_400_000;
const MAX_MS = Date.UTC(10_000, 0, 1);

/**
 * A wall-clock date or time without a time zone, as dates in properties are. Instants (a file's times, a date
 * with an offset) are converted to this machine's time zone.
 */
export class DateValue {
  readonly type = 'date';
  /** The wall-clock time read as UTC, milliseconds since 1970. */
  readonly wallMs: number;
  /** False for a date without a time of day. */
  readonly hasTime: boolean;

  constructor(wallMs: number, hasTime: boolean) {
    this.wallMs = wallMs;
    this.hasTime = hasTime;
  }

  /**
   * Parses ISO 8601 (`2024-02-05`, optionally `T` or a space and a time), `YYYYMMDD`, `YYYYMMDDHHmm` and
   * `YYYYMMDDHHmmss`; undefined for any other text.
   */
  static parse(text: string): DateValue | undefined {
    // A fast test, as every comparison of two texts comes here.
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

  /** Parses `2024-02-05`, the form of nearly all dates in properties. */
  static #ofDay(text: string): DateValue | undefined {
    const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
    // Date.UTC reads the years 0 to 99 as 1900 to 1999.
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
    // 31 February and 25:00 are invalid; Date would roll them over.
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

  /** Converts an instant, ms since the epoch, to wall-clock time in this machine's time zone. */
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

  /**
   * Adds or subtracts a duration. Whole months keep the day of the month, or take the month's last day.
   *
   * @returns undefined when the result is outside the years that four digits can write
   */
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

  /** The date without its time of day. */
  get day(): DateValue {
    return new DateValue(Math.floor(this.wallMs / 86_400_000) * 86_400_000, false);
  }

  /** Formats by a Moment.js format. */
  format(pattern: string): string {
    return formatWallTime(pattern, new Date(this.wallMs));
  }

  /** `2024-02-05`, or with a time of day `2024-02-05 13:07:00`. */
  toString(): string {
    return this.format(this.hasTime ? 'YYYY-MM-DD HH:mm:ss' : 'YYYY-MM-DD');
  }

  /** ISO 8601 without an offset: `2024-02-05` or `2024-02-05T13:07:00`. */
  toIso(): string {
    return this.format(this.hasTime ? 'YYYY-MM-DD[T]HH:mm:ss' : 'YYYY-MM-DD');
  }
}
