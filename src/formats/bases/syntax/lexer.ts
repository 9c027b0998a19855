import { ExpressionError } from './expression-error.ts';

export type TokenType = 'number' | 'string' | 'regex' | 'name' | 'operator' | 'end';

export interface Token {
  readonly type: TokenType;
  /** The operator, the name, the string's value or the regular expression's source. */
  readonly text: string;
  /** Flags of a regular expression. */
  readonly flags?: string;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[\s\u00a0\ufeff]*/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy;
const OPERATOR = /&&|\|\||[=!]==?|[<>]=?|[-+*/%!.,:()[\]{}]/y;
const FLAGS = /[a-z]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

/**
 * Splits an expression into tokens, of which the last has the type `end`. The token before a `/` decides
 * whether it divides or opens a regular expression. Offsets are in UTF-16 code units.
 *
 * @throws ExpressionError for a character that begins no token, and for an unclosed string or regular
 *   expression
 */
export function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at, found.at(-1));
    found.push(token);
    at = skip(SPACE, text, token.end);
  }
  found.push({ type: 'end', text: '', start: text.length, end: text.length });
  return found;
}

function tokenAt(text: string, at: number, before: Token | undefined): Token {
  const char = text[at] ?? '';
  if (char === '"' || char === "'") return stringAt(text, at);
  if (char === '/' && !endsOperand(before)) return regexAt(text, at);
  for (const [type, pattern] of [
    ['number', NUMBER],
    ['name', NAME],
    ['operator', OPERATOR],
  ] as const) {
    const end = skip(pattern, text, at);
    if (end === at) continue;
    const spelled = text.slice(at, end);
    // `===` and `!==` mean the same as `==` and `!=`.
    return {
      type,
      text: type === 'operator' ? spelled.replace(/^([=!]=)=$/, '$1') : spelled,
      start: at,
      end,
    };
  }
  if (char === '`')
    throw new ExpressionError(
      'Names in backticks are from before Obsidian 1.9.2; write note["name"] instead.',
      at,
      at + 1,
    );
  const whole = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new ExpressionError(`${JSON.stringify(whole)} cannot stand here.`, at, at + whole.length);
}

/** Whether a token ends an operand, after which `/` divides. */
function endsOperand(before: Token | undefined): boolean {
  if (before === undefined) return false;
  return before.type === 'operator' ? /^[)\]}]$/.test(before.text) : before.type !== 'end';
}

function stringAt(text: string, start: number): Token {
  const quote = text[start];
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === quote) return { type: 'string', text: value, start, end: at + 1 };
    if (char !== '\\') {
      value += char;
      continue;
    }
    at++;
    const escaped = text[at] ?? '';
    const unicode = escaped === 'u' ? /^[\da-fA-F]{4}/.exec(text.slice(at + 1, at + 5))?.[0] : undefined;
    if (unicode !== undefined) at += 4;
    value +=
      unicode === undefined
        ? (ESCAPES[escaped] ?? escaped)
        : String.fromCharCode(Number.parseInt(unicode, 16));
  }
  throw new ExpressionError(`The string has no closing ${quote}.`, start, text.length);
}

function regexAt(text: string, start: number): Token {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\n' || char === '\r') break;
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) {
      const end = skip(FLAGS, text, at + 1);
      return { type: 'regex', text: text.slice(start + 1, at), flags: text.slice(at + 1, end), start, end };
    }
  }
  throw new ExpressionError('The regular expression has no closing /.', start, text.length);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
