const DAY_MS = 86_400_000;
/** Length of a month where no date is given: 30 days. Twelve months are a year of 365 days. */
const MONTH_MS = 30 * DAY_MS;

const UNITS: readonly (readonly [pattern: RegExp, months: number, ms: number])[] = [
  [/^(?:y|years?)$/i, 12, 0],
  [/^(?:M|mos?|months?)$/, 1, 0],
  [/^(?:w|weeks?)$/i, 0, 7 * DAY_MS],
  [/^(?:d|days?)$/i, 0, DAY_MS],
  [/^(?:h|hrs?|hours?)$/i, 0, 3_600_000],
  [/^(?:m|mins?|minutes?)$/, 0, 60_000],
  [/^(?:s|secs?|seconds?)$/i, 0, 1000],
  [/^(?:ms|milliseconds?)$/, 0, 1],
];

/** A duration: months, whose length depends on the date they are added to, and milliseconds. */
export class DurationValue {
  readonly type = 'duration';
  readonly months: number;
  readonly ms: number;

  constructor(months: number, ms: number) {
    this.months = months;
    this.ms = ms;
  }

  /** Parses `1M`, `7d`, `2 hours 30 minutes`, `-1 week`; undefined for any other text. */
  static parse(text: string): DurationValue | undefined {
    let months = 0;
    let ms = 0;
    let rest = text.trim();
    if (rest === '') return undefined;
    while (rest !== '') {
      const [whole, sign = '', count = '', unit = ''] =
        /^([-+]?)\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)[\s,]*/.exec(rest) ?? [];
      const found = UNITS.find(([pattern]) => pattern.test(unit));
      if (whole === undefined || found === undefined) return undefined;
      const amount = Number(count) * (sign === '-' ? -1 : 1);
      months += amount * found[1];
      ms += amount * found[2];
      rest = rest.slice(whole.length);
    }
    return new DurationValue(months, ms);
  }

  /** The total length in milliseconds; a month counts 30 days, twelve months 365. */
  get totalMs(): number {
    const years = Math.trunc(this.months / 12);
    return years * 365 * DAY_MS + (this.months - years * 12) * MONTH_MS + this.ms;
  }

  plus(other: DurationValue): DurationValue {
    return new DurationValue(this.months + other.months, this.ms + other.ms);
  }

  times(factor: number): DurationValue {
    return new DurationValue(this.months * factor, this.ms * factor);
  }
}
