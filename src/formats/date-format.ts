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

/** Longest first; `[text]` is text, and so is what follows a backslash. */
const TOKEN =
  /\[[^[\]]*\]|\\.|YYYY|YY|Y|GGGG|GG|gggg|gg|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D|dddd|ddd|dd|do|d|E|e|WW|Wo|W|ww|wo|w|HH|H|hh|h|kk|k|mm|m|ss|s|S{1,3}|A|a|ZZ|Z|X|x/gs;

/** What the names of whole formats stand for, in the English of the United States. */
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
 * A day in the notation of Moment.js, which Obsidian's daily notes go by; names are English, times are
 * midnight. What is no token stays as it is.
 */
export function formatDay(format: string, day: Date): string {
  return format
    .replace(LONG_FORMAT, (name) => LONG_FORMATS[name] ?? name)
    .replace(TOKEN, (token) => {
      if (token.startsWith('[')) return token.slice(1, -1);
      return token.startsWith('\\') ? token.slice(1) : part(token, day);
    });
}

/** The same notation from that of Logseq (`yyyy_MM_dd`, `EEE, do MMM`, text in quotes). */
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

function part(token: string, day: Date): string {
  const year = day.getFullYear();
  const month = day.getMonth();
  const date = day.getDate();
  const weekday = day.getDay();
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
      return String(Math.floor(midnight(day).getTime() / 1000));
    case 'x':
      return String(midnight(day).getTime());
    case 'Z':
    case 'ZZ':
      return offset(midnight(day), token === 'Z' ? ':' : '');
    default:
      return clock(token);
  }
}

/** Midnight: a daily note has no time of day. */
function clock(token: string): string {
  if (token === 'A') return 'AM';
  if (token === 'a') return 'am';
  if (token === 'h' || token === 'hh') return '12';
  if (token === 'k' || token === 'kk') return '24';
  return '0'.repeat(token.length);
}

function midnight(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate());
}

/** From UTC: `+02:00`. */
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
  return daysBetween(new Date(day.getFullYear(), 0, 1), day) + 1;
}

/**
 * The week and the year it counts to.
 *
 * @param first day on which weeks begin, 0 = Sunday
 * @param within a day of January that is always in week 1: 4 in ISO 8601, 1 in the United States
 */
function weekOf(day: Date, first: number, within: number): { week: number; year: number } {
  const startOf = (year: number) => {
    const sure = new Date(year, 0, within);
    return new Date(year, 0, sure.getDate() - ((sure.getDay() - first + 7) % 7));
  };
  const year = [1, 0, -1]
    .map((by) => day.getFullYear() + by)
    .find((each) => daysBetween(startOf(each), day) >= 0);
  const counts = year ?? day.getFullYear();
  return { week: Math.floor(daysBetween(startOf(counts), day) / 7) + 1, year: counts };
}

/** Whole days, whatever the clock did between. */
function daysBetween(from: Date, to: Date): number {
  const utc = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
  return Math.round((utc(to) - utc(from)) / (24 * 3600_000));
}
