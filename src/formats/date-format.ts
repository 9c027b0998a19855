const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Tokens of Moment.js, longest first. `[text]` and a character after a backslash are literal text. */
const TOKEN =
  /\[[^[\]]*\]|\\.|YYYY|YY|Y|GGGG|GG|gggg|gg|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D|dddd|ddd|dd|do|d|E|e|WW|Wo|W|ww|wo|w|HH|H|hh|h|kk|k|mm|m|ss|s|S{1,3}|A|a|ZZ|Z|X|x/gs;

/** Expansions of Moment.js's localized formats, in its default locale `en` (United States). */
const LONG_FORMATS: Readonly<Record<string, string>> = {
  LTS: 'h:mm:ss A',
  LT: 'h:mm A',
  LLLL: 'dddd, MMMM D, YYYY h:mm A',
  LLL: 'MMMM D, YYYY h:mm A',
  LL: 'MMMM D, YYYY',
  L: 'MM/DD/YYYY',
  llll: 'ddd, MMM D, YYYY h:mm A',
  lll: 'MMM D, YYYY h:mm A',
  ll: 'MMM D, YYYY',
  l: 'M/D/YYYY',
};
const LONG_FORMAT = /\[[^[\]]*\]|\\.|LTS|LT|L{1,4}|l{1,4}/gs;

/**
 * Formats a date by a Moment.js format, which Obsidian's daily notes use. The time of day is 00:00:00.
 *
 * @param day its date in this machine's time zone is used
 */
export function formatDay(format: string, day: Date): string {
  return formatWallTime(format, new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())));
}

/**
 * Formats a wall-clock time by a Moment.js format, in English. Text that is no token is copied.
 *
 * @param wall its UTC fields are the year, month, day, hour, minute, second and millisecond of the clock
 */
export function formatWallTime(format: string, wall: Date): string {
  return format
    .replace(LONG_FORMAT, (name) => LONG_FORMATS[name] ?? name)
    .replace(TOKEN, (token) => {
      if (token.startsWith('[')) return token.slice(1, -1);
      return token.startsWith('\\') ? token.slice(1) : part(token, wall);
    });
}

/**
 * Converts a Logseq date format (`yyyy_MM_dd`, `EEE, do MMM`, literal text in single quotes) to Moment.js's.
 */
export function fromLogseqFormat(format: string): string {
  return format.replace(/'([^']*)'|y+|Y+|d+o?|D+|E+|e+/g, (token, quoted?: string) => {
    if (quoted !== undefined) return quoted === '' ? "'" : `[${quoted}]`;
    const letter = token[0];
    if (letter === 'y' || letter === 'Y') return token.length === 2 ? 'YY' : 'YYYY';
    if (letter === 'd') return token.endsWith('o') ? 'Do' : token.toUpperCase();
    if (letter === 'D') return token.length > 2 ? 'DDDD' : 'DDD';
    if (letter === 'E') return token.length > 3 ? 'dddd' : 'ddd';
    return 'E';
  });
}

/** The text of one token; `day` holds the wall-clock time in its UTC fields. */
function part(token: string, day: Date): string {
  const year = day.getUTCFullYear();
  const month = day.getUTCMonth();
  const date = day.getUTCDate();
  const weekday = day.getUTCDay();
  switch (token) {
    case 'YYYY':
      return padded(year, 4);
    case 'YY':
      return padded(year % 100, 2);
    case 'Y':
      return String(year);
    case 'Q':
    case 'Qo':
      return counted(token, Math.floor(month / 3) + 1);
    case 'MMMM':
      return MONTHS[month] ?? '';
    case 'MMM':
      return (MONTHS[month] ?? '').slice(0, 3);
    case 'M':
    case 'MM':
    case 'Mo':
      return counted(token, month + 1);
    case 'D':
    case 'DD':
    case 'Do':
      return counted(token, date);
    case 'DDD':
      return String(dayOfYear(day));
    case 'DDDo':
      return ordinal(dayOfYear(day));
    case 'DDDD':
      return padded(dayOfYear(day), 3);
    case 'dddd':
      return DAYS[weekday] ?? '';
    case 'ddd':
      return (DAYS[weekday] ?? '').slice(0, 3);
    case 'dd':
      return (DAYS[weekday] ?? '').slice(0, 2);
    case 'd':
    case 'e':
      return String(weekday);
    case 'do':
      return ordinal(weekday);
    case 'E':
      return String(weekday === 0 ? 7 : weekday);
    case 'W':
    case 'WW':
    case 'Wo':
      return counted(token, weekOf(day, 1, 4).week);
    case 'w':
    case 'ww':
    case 'wo':
      return counted(token, weekOf(day, 0, 1).week);
    case 'GGGG':
    case 'GG':
      return yearText(token, weekOf(day, 1, 4).year);
    case 'gggg':
    case 'gg':
      return yearText(token, weekOf(day, 0, 1).year);
    case 'X':
      return String(Math.floor(onThisMachine(day).getTime() / 1000));
    case 'x':
      return String(onThisMachine(day).getTime());
    case 'Z':
    case 'ZZ':
      return offset(onThisMachine(day), token === 'Z' ? ':' : '');
    default:
      return clock(token, day);
  }
}

/** The text of a token of the time of day. */
function clock(token: string, day: Date): string {
  const hour = day.getUTCHours();
  const twelve = hour % 12 === 0 ? 12 : hour % 12;
  switch (token) {
    case 'A':
      return hour < 12 ? 'AM' : 'PM';
    case 'a':
      return hour < 12 ? 'am' : 'pm';
    case 'h':
    case 'hh':
      return counted(token, twelve);
    case 'k':
    case 'kk':
      return counted(token, hour === 0 ? 24 : hour);
    case 'm':
    case 'mm':
      return counted(token, day.getUTCMinutes());
    case 's':
    case 'ss':
      return counted(token, day.getUTCSeconds());
    case 'S':
    case 'SS':
    case 'SSS':
      return padded(day.getUTCMilliseconds(), 3).slice(0, token.length);
    default:
      return counted(token, hour);
  }
}

/** Converts a wall-clock time to the instant at which it occurs in this machine's time zone. */
function onThisMachine(wall: Date): Date {
  return new Date(
    wall.getUTCFullYear(),
    wall.getUTCMonth(),
    wall.getUTCDate(),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
    wall.getUTCMilliseconds(),
  );
}

/** The offset of this machine's time zone from UTC at an instant: `+02:00`. */
function offset(day: Date, colon: string): string {
  const minutes = -day.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${padded(Math.floor(size / 60), 2)}${colon}${padded(size % 60, 2)}`;
}

function counted(token: string, count: number): string {
  if (token.endsWith('o')) return ordinal(count);
  return token.length === 2 ? padded(count, 2) : String(count);
}

function yearText(token: string, year: number): string {
  return token.length === 2 ? padded(year % 100, 2) : padded(year, 4);
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function ordinal(count: number): string {
  const tens = Math.floor((count % 100) / 10);
  const suffix = tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${suffix}`;
}

function dayOfYear(day: Date): number {
  return daysBetween(Date.UTC(day.getUTCFullYear(), 0, 1), day) + 1;
}

/**
 * The week number of a date, and the year that week belongs to.
 *
 * @param first weekday on which weeks begin, 0 = Sunday
 * @param within day of January that is always in week 1: 4 by ISO 8601, 1 in the United States
 */
function weekOf(day: Date, first: number, within: number): { week: number; year: number } {
  const startOf = (year: number) => {
    const sure = new Date(Date.UTC(year, 0, within));
    return Date.UTC(year, 0, within - ((sure.getUTCDay() - first + 7) % 7));
  };
  const year = [1, 0, -1]
    .map((by) => day.getUTCFullYear() + by)
    .find((each) => daysBetween(startOf(each), day) >= 0);
  const counts = year ?? day.getUTCFullYear();
  return { week: Math.floor(daysBetween(startOf(counts), day) / 7) + 1, year: counts };
}

/** Days from one wall-clock midnight (ms, read as UTC) to the day of a wall-clock time. */
function daysBetween(from: number, to: Date): number {
  const midnight = Date.UTC(to.getUTCFullYear(), to.getUTCMonth(), to.getUTCDate());
  return Math.round((midnight - from) / (24 * 3600_000));
}
