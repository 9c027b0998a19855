import { LecternError } from '../../errors.ts';

/**
 * Joplin's search language: words, `"phrases"` and `name:value` filters in a row, `-` before one turns it round, `any:1`
 * lets any of them do. A `:` behind anything but the name of a filter is text, and a quote that is not closed ends at the end.
 */
export interface JoplinQuery {
  /** Any of the conditions is enough, but for notebooks, which narrow all the same. */
  readonly any: boolean;
  readonly terms: readonly JoplinTerm[];
  /** Words are looked for as parts of the text: in scripts without spaces, and behind a leading `/`. */
  readonly substring: boolean;
}

export type JoplinTerm = { readonly negated: boolean } & (
  | { readonly kind: 'text'; readonly in: 'title' | 'body' | 'any'; readonly text: string }
  | { readonly kind: 'like'; readonly of: LikeField; readonly pattern: string }
  | { readonly kind: 'since'; readonly of: 'created' | 'updated' | 'due'; readonly ms: number }
  | { readonly kind: 'least'; readonly of: 'latitude' | 'longitude' | 'altitude'; readonly value: number }
  | { readonly kind: 'type'; readonly isTodo: boolean }
  | { readonly kind: 'completed'; readonly isCompleted: boolean }
);

export type LikeField = 'tag' | 'notebook' | 'resource' | 'sourceurl' | 'id';

const FILTERS = new Set([
  'any',
  'title',
  'body',
  'tag',
  'notebook',
  'created',
  'updated',
  'type',
  'iscompleted',
  'due',
  'latitude',
  'longitude',
  'altitude',
  'resource',
  'sourceurl',
  'id',
]);

/** A query is a sentence: more than that nobody types. */
const MAX_LENGTH = 4000;
const MAX_TERMS = 64;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const OPEN_NOTE = /^joplin:\/\/x-callback-url\/openNote\?(?:.*&)?id=([0-9a-f]{32})(?:&.*)?$/i;

/**
 * @throws LecternError `invalid_input` for a filter with a value it cannot have: what it would have left out is never found instead
 */
export function parseJoplinQuery(query: string, now: number): JoplinQuery {
  if (query.length > MAX_LENGTH)
    throw wrong(`A query has at most ${MAX_LENGTH} characters, this one has ${query.length}`);
  const trimmed = query.trim();
  const linked = OPEN_NOTE.exec(trimmed)?.[1];
  if (linked !== undefined)
    return {
      any: false,
      substring: false,
      terms: [{ kind: 'like', of: 'id', pattern: linked.toLowerCase(), negated: false }],
    };
  const isBasic = trimmed.startsWith('/');
  const tokens = split(isBasic ? trimmed.slice(1) : trimmed);
  let any = false;
  const terms: JoplinTerm[] = [];
  for (const { name, value, negated } of tokens) {
    if (name === 'any') any = flag('any', value, negated);
    else terms.push(...termsOf(name, value, negated, now));
  }
  if (terms.length > MAX_TERMS)
    throw wrong(`A query has at most ${MAX_TERMS} terms, this one has ${terms.length}`);
  const texts = terms.filter((term) => term.kind === 'text');
  const substring = isBasic || texts.some(({ text }) => WITHOUT_SPACES.test(text));
  return { any, substring, terms: isBasic ? joined(terms) : terms };
}

/** The words of the basic search are one piece of text. */
function joined(terms: readonly JoplinTerm[]): readonly JoplinTerm[] {
  const isPlain = (term: JoplinTerm) => term.kind === 'text' && term.in === 'any' && !term.negated;
  const words = terms.filter(isPlain).map((term) => (term.kind === 'text' ? term.text : ''));
  if (words.length < 2) return terms;
  const whole: JoplinTerm = { kind: 'text', in: 'any', text: words.join(' '), negated: false };
  return [whole, ...terms.filter((term) => !isPlain(term))];
}

interface Token {
  /** `_` for text. */
  readonly name: string;
  /** Quotes included. */
  readonly value: string;
  readonly negated: boolean;
}

function split(query: string): Token[] {
  const tokens: Token[] = [];
  let name = '_';
  let negated = false;
  let value = '';
  let isQuoted = false;
  let hasName = false;
  const end = () => {
    if (value !== '' || hasName) tokens.push({ name, value, negated });
    name = '_';
    negated = false;
    value = '';
    hasName = false;
  };
  for (const char of query) {
    if (char === '"') {
      value += char;
      if (isQuoted) end();
      isQuoted = !isQuoted;
    } else if (/\s/.test(char) && !isQuoted) {
      // `title: word` is `title:word`.
      if (value !== '') end();
    } else if (char === ':' && !isQuoted && !hasName && isFilter(value)) {
      negated = value.startsWith('-');
      name = value.replace(/^-/, '').toLowerCase();
      value = '';
      hasName = true;
    } else value += char;
  }
  end();
  return tokens;
}

function isFilter(name: string): boolean {
  return FILTERS.has(name.replace(/^-/, '').toLowerCase());
}

function termsOf(name: string, given: string, negated: boolean, now: number): JoplinTerm[] {
  if (name === '_') {
    const isNegated = given.length > 1 && given.startsWith('-');
    return [
      { kind: 'text', in: 'any', text: unquoted(isNegated ? given.slice(1) : given), negated: isNegated },
    ];
  }
  const value = unquoted(given).trim();
  if (value === '') throw wrong(`The filter "${name}:" has no value`);
  switch (name) {
    case 'title':
    case 'body':
      return value
        .split(/[\s\-_]+/)
        .filter((word) => word !== '')
        .map((text) => ({ kind: 'text' as const, in: name, text, negated }));
    case 'created':
    case 'updated':
    case 'due':
      return [{ kind: 'since', of: name, ms: sinceOf(name, value, now), negated }];
    case 'latitude':
    case 'longitude':
    case 'altitude': {
      if (!/^-?\d+(?:\.\d+)?$/.test(value))
        throw wrong(`The value of "${name}:" is a number, not ${shown(value)}`);
      return [{ kind: 'least', of: name, value: Number(value), negated }];
    }
    case 'type': {
      assertUpright(name, negated);
      if (value !== 'note' && value !== 'todo')
        throw wrong(`The value of "type:" is note or todo, not ${shown(value)}`);
      return [{ kind: 'type', isTodo: value === 'todo', negated: false }];
    }
    case 'iscompleted':
      return [{ kind: 'completed', isCompleted: flag(name, value, negated), negated: false }];
    case 'tag':
    case 'notebook':
    case 'resource':
    case 'sourceurl':
    case 'id':
      return [{ kind: 'like', of: name, pattern: value, negated }];
    default:
      throw new Error(`There is no filter ${name}.`);
  }
}

function flag(name: string, given: string, negated: boolean): boolean {
  const value = unquoted(given).trim();
  assertUpright(name, negated);
  if (value !== '0' && value !== '1') throw wrong(`The value of "${name}:" is 0 or 1, not ${shown(value)}`);
  return value === '1';
}

function assertUpright(name: string, negated: boolean): void {
  if (negated) throw wrong(`The filter "${name}:" cannot be negated`);
}

/** Quotes at both ends; one that is not closed is closed here. */
function unquoted(value: string): string {
  return value.startsWith('"') ? value.replace(/^"|"$/g, '') : value.replace(/"/g, ' ').trim();
}

const DATE = /^(\d{4})(?:(\d{2})(?:(\d{2}))?)?$/;
const RELATIVE = /^(day|week|month|year)([+-])(\d{1,5})$/i;

/** Days, weeks, months and years begin when they do where the server runs; a week on Sunday, as in Joplin. */
function sinceOf(name: string, value: string, now: number): number {
  const [, unit, sign, count] = RELATIVE.exec(value) ?? [];
  if (unit !== undefined) return periodStart(unit.toLowerCase(), Number(`${sign}${count}`), now);
  const [, year, month = '01', day = '01'] = DATE.exec(value) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (year !== undefined && date.getMonth() === Number(month) - 1 && date.getDate() === Number(day)) {
    // Years below 100 would be taken for those of the last century.
    date.setFullYear(Number(year));
    return date.getTime();
  }
  throw wrong(
    `The value of "${name}:" is a date (2021, 202103 or 20210314) or a span like day-7, week+1, month-2, year-1, not ${shown(value)}`,
  );
}

function periodStart(unit: string, count: number, now: number): number {
  const today = new Date(now);
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  switch (unit) {
    case 'day':
      return new Date(year, month, day + count).getTime();
    case 'week':
      return new Date(year, month, day - today.getDay() + 7 * count).getTime();
    case 'month':
      return new Date(year, month + count, 1).getTime();
    default:
      return new Date(year + count, 0, 1).getTime();
  }
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 60));
}

function wrong(problem: string): LecternError {
  return new LecternError('invalid_input', `Invalid search query: ${problem}.`, {
    next: 'Correct the query and search again.',
  });
}
