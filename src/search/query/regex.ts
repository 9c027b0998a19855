import { RE2JS } from 're2js';

/**
 * Regular expressions typed by a caller, run by RE2 in linear time: no pattern can hang the server.
 * The dialect is JavaScript's as far as RE2 has it; lookaround and backreferences it does not have.
 */
export interface TextPattern {
  /** True when the pattern matches anywhere in `text`. `^` and `$` are line ends. */
  test(text: string): boolean;
  /** The pattern can match across a line break, so lines cannot be tested one by one. */
  readonly crossesLines: boolean;
  /** Where it matches in `text`, at most `limit` places. Empty matches are left out. */
  find(text: string, limit: number): { start: number; end: number }[];
}

const MAX_PATTERN = 1000;
/** Compiled instructions; larger ones make the fallback engine slow. */
const MAX_PROGRAM = 3000;
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'lookaround'],
  [/\\[1-9]|\\k</, 'a backreference'],
];
const JS_SPACE =
  '\\t\\n\\x{0b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const MAY_CROSS = /\\[nrsWDPpSxucf]|\[\^|\[[^\]]*[\n\r]|[\n\r]/;

/** The source of a pattern that matches a text as it stands. */
export function literalSource(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * @param flags `i` and `s` count; `m` is always on, as in Obsidian
 * @param ignoreCase what the scope (`match-case:`) says when the pattern has no `i` itself
 * @returns the pattern, or one sentence on why it cannot be used
 */
export function compilePattern(source: string, flags: string, ignoreCase: boolean): TextPattern | string {
  const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source;
  if (source.length > MAX_PATTERN) {
    return `The regular expression /${shown}/ is too long (more than ${MAX_PATTERN} characters) and was not used.`;
  }
  const unescaped = source.replace(/\\\\/g, '').replace(/\[(?:\\.|[^\]\\])*\]/g, '[]');
  const construct = UNSUPPORTED.find(([test]) => test.test(unescaped));
  if (construct) {
    return `The regular expression /${shown}/ uses ${construct[1]}, which is not supported; it was not used.`;
  }
  let flagBits = RE2JS.MULTILINE;
  if (ignoreCase || flags.includes('i')) flagBits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('s')) flagBits |= RE2JS.DOTALL;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(javaScriptClasses(source)), flagBits);
    if (compiled.programSize() > MAX_PROGRAM) {
      return `The regular expression /${shown}/ is too large and was not used.`;
    }
    return new Re2Pattern(compiled, flags.includes('s') || MAY_CROSS.test(source));
  } catch {
    return `The regular expression /${shown}/ cannot be read and was not used.`;
  }
}

class Re2Pattern implements TextPattern {
  constructor(
    private readonly compiled: RE2JS,
    readonly crossesLines: boolean,
  ) {}

  test(text: string): boolean {
    return this.compiled.test(lineFeeds(text));
  }

  find(text: string, limit: number): { start: number; end: number }[] {
    const found: { start: number; end: number }[] = [];
    // Same length, so that offsets stay true: a lone carriage return at a line's end is a space.
    const matcher = this.compiled.matcher(text.replace(/\r\n/g, ' \n'));
    while (found.length < limit && matcher.find()) {
      if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end() });
    }
    return found;
  }
}

/** In JavaScript `$` and `.` know all line ends; RE2 knows the line feed. */
function lineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** `\s` and `\S` with all of JavaScript's white space, outside and inside classes. */
function javaScriptClasses(source: string): string {
  let result = '';
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') {
      at += 1;
      const escaped = source.charAt(at);
      if (escaped === 's') result += inClass ? JS_SPACE : `[${JS_SPACE}]`;
      else if (escaped === 'S' && !inClass) result += `[^${JS_SPACE}]`;
      else result += char + escaped;
    } else {
      if (char === '[') inClass = true;
      else if (char === ']') inClass = false;
      result += char;
    }
  }
  return result;
}
