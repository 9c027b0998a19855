import { OPERATORS, type OperatorName } from './ast.ts';

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string }
  | { readonly kind: 'regex'; readonly source: string; readonly flags: string }
  /** What stands between the square brackets. */
  | { readonly kind: 'property'; readonly content: string }
  /** `name:` with its argument right behind the colon. */
  | { readonly kind: 'operator'; readonly name: OperatorName }
  | { readonly kind: 'open' | 'close' | 'minus' | 'or' | 'and' };

const OPERATOR_NAMES: ReadonlySet<string> = new Set(OPERATORS);
const LONGEST_OPERATOR = Math.max(...OPERATORS.map((name) => name.length));
const REGEX_FLAGS = new Set('imsug');

/**
 * Splits a query into tokens, left to right, in linear time. Never throws: whatever is no operator
 * is plain text. Rules that keep pasted text plain: an operator needs its argument right behind the
 * colon; `--flag` is a word; `/usr/bin` is a word, since a closing slash must end the word;
 * `[[link]]`, `[text](url)` and task boxes (`[ ]`, `[x]`) are no properties.
 */
export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    const char = query.charAt(at);
    if (isSpace(char)) {
      at += 1;
    } else if (char === '(' || char === ')') {
      tokens.push({ kind: char === '(' ? 'open' : 'close' });
      at += 1;
    } else {
      at = special(query, at, char, tokens) ?? word(query, at, tokens);
    }
  }
  return tokens;
}

/** Reads a quoted text from its opening quote; an unclosed one runs to the end. */
export function readPhrase(source: string, start: number): { text: string; end: number } {
  let text = '';
  let at = start + 1;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === '"') return { text, end: at + 1 };
    const next = source.charAt(at + 1);
    if (char === '\\' && (next === '"' || next === '\\')) {
      text += next;
      at += 2;
    } else {
      text += char;
      at += 1;
    }
  }
  return { text, end: at };
}

/** Reads `/source/flags` from its opening slash, or undefined when it is not closed at a word's end. */
export function readRegex(
  source: string,
  start: number,
): { source: string; flags: string; end: number } | undefined {
  let inClass = false;
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) {
      let end = at + 1;
      while (end - at <= REGEX_FLAGS.size && REGEX_FLAGS.has(source.charAt(end))) end += 1;
      if (at === start + 1 || !endsToken(source, end)) return undefined;
      return { source: source.slice(start + 1, at), flags: source.slice(at + 1, end), end };
    }
  }
  return undefined;
}

function special(query: string, at: number, char: string, tokens: Token[]): number | undefined {
  if (char === '"') {
    const { text, end } = readPhrase(query, at);
    tokens.push({ kind: 'phrase', text });
    return end;
  }
  if (char === '/') {
    const regex = readRegex(query, at);
    if (!regex) return undefined;
    tokens.push({ kind: 'regex', source: regex.source, flags: regex.flags });
    return regex.end;
  }
  if (char === '-') {
    if (endsToken(query, at + 1)) return at + 1;
    if (query.charAt(at + 1) === '-') return undefined;
    tokens.push({ kind: 'minus' });
    return at + 1;
  }
  if (char === '[') {
    const end = propertyEnd(query, at);
    if (end === undefined) return undefined;
    tokens.push({ kind: 'property', content: query.slice(at + 1, end) });
    return end + 1;
  }
  return operator(query, at, tokens);
}

function operator(query: string, at: number, tokens: Token[]): number | undefined {
  const colon = query.slice(at, at + LONGEST_OPERATOR + 1).indexOf(':');
  if (colon <= 0) return undefined;
  const name = query.slice(at, at + colon).toLowerCase();
  const argument = at + colon + 1;
  if (!OPERATOR_NAMES.has(name) || endsToken(query, argument)) return undefined;
  tokens.push({ kind: 'operator', name: name as OperatorName });
  return argument;
}

function word(query: string, start: number, tokens: Token[]): number {
  let end = start + 1;
  while (end < query.length && !endsToken(query, end) && query.charAt(end) !== '(') end += 1;
  const text = query.slice(start, end);
  if (text === 'OR') tokens.push({ kind: 'or' });
  else if (text === 'AND') tokens.push({ kind: 'and' });
  else tokens.push({ kind: 'word', text });
  return end;
}

/** Index of the bracket that closes a property, or undefined when this is plain text. */
function propertyEnd(query: string, start: number): number | undefined {
  let at = start + 1;
  if (query.charAt(at) === '[') return undefined;
  while (at < query.length) {
    const char = query.charAt(at);
    if (char === '"') {
      at = readPhrase(query, at).end;
    } else if (char === '/' && /[[:\s]/.test(query.charAt(at - 1))) {
      const close = closingSlash(query, at);
      at = close === undefined ? at + 1 : close + 1;
    } else if (char === ']') {
      const name = query.slice(start + 1, at).trim();
      const taskBox = at === start + 2;
      return name === '' || taskBox || query.charAt(at + 1) === '(' ? undefined : at;
    } else if (char === '[' || char === '\n') {
      return undefined;
    } else {
      at += 1;
    }
  }
  return undefined;
}

function closingSlash(query: string, start: number): number | undefined {
  let inClass = false;
  for (let at = start + 1; at < query.length; at += 1) {
    const char = query.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at;
  }
  return undefined;
}

function endsToken(query: string, at: number): boolean {
  const char = query.charAt(at);
  return char === '' || char === ')' || isSpace(char);
}

function isSpace(char: string): boolean {
  return /\s/.test(char);
}
