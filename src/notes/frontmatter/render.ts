import { isRecord } from '../../is-record.ts';

/** The style of a new value, taken from its surroundings in the block. */
export interface RenderStyle {
  /** Indentation of the key's line. */
  readonly indent: string;
  /** Preferred style of strings; a string that it cannot represent gets another. */
  readonly string: 'plain' | 'single' | 'double';
  /** Quotes of strings that cannot be plain. */
  readonly quote: 'single' | 'double';
  readonly list: 'flow' | 'block';
  /** Indentation of a block list's dashes, relative to the key: `''` or spaces. */
  readonly listIndent: string;
  /** Whether texts of several lines are written as a `|` block instead of with `\n`. */
  readonly literal: boolean;
  /** White space inside the brackets of a flow list: one space in `[ a ]`. */
  readonly padding: string;
}

/** The text of a value after `key:`: the part on the same line, and the lines below without EOL. */
export interface RenderedValue {
  readonly inline: string;
  readonly lines: readonly string[];
}

/** Texts that YAML 1.2 core reads as null, boolean or number, and the booleans of YAML 1.1. */
const TYPED =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?[0-9][0-9_]*|0o[0-7]+|0x[0-9a-f]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?|[-+]?\.inf|\.nan)$/i;
/** Control characters, line and paragraph separators, BOM, lone surrogates, non-characters. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Surrogate}/u;
const NOT_PLAIN = /^[-?:,[\]{}#&*!|>'"%@`=\s]|\s$|:(?:\s|$)|\s#/;
/** Longest key, UTF-16 code units. Longer keys need the `?` syntax, which few programs support. */
export const MAX_KEY_LENGTH = 1000;

/** Renders a JSON value so that a YAML 1.2 core parser reads the same value with the same type. */
export function renderValue(value: unknown, style: RenderStyle): RenderedValue {
  if (value === null) return { inline: '', lines: [] };
  if (typeof value === 'string') return renderText(value, style);
  if (Array.isArray(value) && value.length > 0 && style.list === 'block') {
    const prefix = `${style.indent}${style.listIndent}- `;
    return { inline: '', lines: value.map((item) => prefix + renderInline(item, style)) };
  }
  if (isRecord(value) && Object.keys(value).length > 0) {
    const inner = { ...style, indent: `${style.indent}  ` };
    return { inline: '', lines: Object.entries(value).flatMap(([key, one]) => pairLines(key, one, inner)) };
  }
  return { inline: renderInline(value, style), lines: [] };
}

/** The lines of `key: value` without EOL. */
export function pairLines(key: string, value: unknown, style: RenderStyle): readonly string[] {
  const { inline, lines } = renderValue(value, style);
  const head = `${style.indent}${renderKey(key)}:`;
  return [inline === '' ? head : `${head} ${inline}`, ...lines];
}

/** A value on one line, lists and maps in brackets: for list items and inside other brackets. */
export function renderInline(value: unknown, style: RenderStyle, inBrackets = false): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return renderString(value, style, inBrackets);
  if (typeof value === 'number') return renderNumber(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => renderInline(item, style, true)).join(', ');
    const padding = items === '' ? '' : style.padding;
    return `[${padding}${items}${padding}]`;
  }
  if (isRecord(value)) {
    const pairs = Object.entries(value).map(
      ([key, one]) => `${doubleQuoted(key)}: ${renderInline(one, style, true)}`,
    );
    return `{${pairs.join(', ')}}`;
  }
  return String(value);
}

function renderKey(key: string): string {
  return isPlain(key, true) && !/^[<.]/.test(key) ? key : doubleQuoted(key);
}

function renderText(value: string, style: RenderStyle): RenderedValue {
  if (!style.literal || !isLiteral(value)) return { inline: renderString(value, style, false), lines: [] };
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${style.indent}  ${line}`));
  return { inline: value.endsWith('\n') ? '|' : '|-', lines };
}

/** Whether a text can be a `|` block: several lines, no white space at line ends, nothing to escape. */
function isLiteral(value: string): boolean {
  if (!/^\S.*\n/.test(value) || value.endsWith('\n\n')) return false;
  return !/[^\S\n]\n|[^\S\n]$/.test(value) && !UNPRINTABLE.test(value.replaceAll('\n', ''));
}

function renderString(value: string, style: RenderStyle, inBrackets: boolean): string {
  if (style.string === 'plain' && isPlain(value, inBrackets)) return value;
  const quote = style.string === 'plain' ? style.quote : style.string;
  return quote === 'single' && !UNPRINTABLE.test(value)
    ? `'${value.replaceAll("'", "''")}'`
    : doubleQuoted(value);
}

function isPlain(value: string, inBrackets: boolean): boolean {
  if (value === '' || TYPED.test(value) || NOT_PLAIN.test(value) || UNPRINTABLE.test(value)) return false;
  // `a:b` is plain text in a block, but inside brackets some parsers read a pair.
  return !/^(?:---|\.\.\.)/.test(value) && !(inBrackets && /[,[\]{}:]/.test(value)) && !value.includes('{{');
}

/** A double-quoted YAML string: JSON escapes are valid in YAML, which requires some more. */
function doubleQuoted(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Integers beyond 2^53 are written as floats, as Lectern reads them as text when all digits are written. */
function renderNumber(value: number): string {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}
