import type { Property, Span } from '../model.ts';
import type { BlockReading, PropertyScalar } from './block.ts';

/**
 * Parses simple front matter without a YAML parser, many times faster: `key: scalar`, `key: [a, "b"]` on one
 * line, and block lists of scalars, with comments and blank lines between. Any other syntax makes it return
 * undefined for the whole block, so it need not know YAML's rules; a property test compares its results with
 * the YAML parser's.
 *
 * @param text the whole note
 * @param content the span between the fences
 * @returns undefined when the block needs the YAML parser
 */
export function readQuick(text: string, content: Span): BlockReading | undefined {
  const reader = new QuickReader(text, content);
  return reader.read();
}

/** A parsed scalar with its span in the note. */
interface Scalar {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** undefined when the value is no string. */
  readonly style: PropertyScalar['style'] | undefined;
}

/** A pair whose value may still grow, as block list items follow their key. */
interface Open {
  readonly key: string;
  readonly keySpan: Span;
  valueSpan: Span;
  spanEnd: number;
  value: unknown;
  /** Column of the list's dashes; set by the first item. */
  dashes: number;
}

const HASH = 35;
const DASH = 45;
const SPACE = 32;
const CARRIAGE_RETURN = 13;
/** First characters that may turn a plain scalar into another construct. */
const INDICATORS = new Set([...',[]{}#&*!|>\'"%@`?:=<'].map((char) => char.charCodeAt(0)));
const MAYBE_TYPED = /^[-+.0-9~nNtTfF]/;
const NULL = /^(?:~|null|Null|NULL)$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const INTEGER = /^[-+]?[0-9]+$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Other number forms of YAML (hexadecimal, octal, infinity), which are left to the YAML parser. */
const ODD_NUMBER = /^(?:0[xo]|[-+]?\.(?:inf|nan))/i;
const MAX_KEY_LENGTH = 1000;

class QuickReader {
  private readonly properties: Property[] = [];
  private readonly scalars: PropertyScalar[] = [];
  private readonly keys = new Set<string>();
  private open: Open | undefined;

  constructor(
    private readonly text: string,
    private readonly content: Span,
  ) {}

  read(): BlockReading | undefined {
    const { text, content } = this;
    for (let start = content.start; start < content.end; ) {
      const newline = text.indexOf('\n', start);
      const next = newline + 1;
      const end = newline > start && text.charCodeAt(newline - 1) === CARRIAGE_RETURN ? newline - 1 : newline;
      if (newline < 0 || !this.line(start, end, next)) return undefined;
      start = next;
    }
    this.close();
    return { properties: this.properties, scalars: this.scalars, problems: [] };
  }

  /** Reads the line `[start, end)`; false when the YAML parser is needed. */
  private line(start: number, end: number, next: number): boolean {
    const { text } = this;
    let at = start;
    while (at < end && text.charCodeAt(at) === SPACE) at += 1;
    if (at === end) return true;
    const first = text.charCodeAt(at);
    if (first === HASH) return !hasOdd(text, at, end);
    if (first === DASH && text.charCodeAt(at + 1) === SPACE) return this.item(at, end, next, at - start);
    return at === start && this.pair(start, end, next);
  }

  private pair(start: number, end: number, next: number): boolean {
    this.close();
    const { text } = this;
    let colon = start;
    while (colon < end && isKeyChar(text.charCodeAt(colon), colon === start)) colon += 1;
    if (colon === start || colon >= end || text[colon] !== ':' || colon - start > MAX_KEY_LENGTH)
      return false;
    if (text.charCodeAt(colon - 1) === SPACE) return false;
    const key = text.slice(start, colon);
    let at = colon + 1;
    if (at < end && text.charCodeAt(at) !== SPACE) return false;
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    while (at < end && text.charCodeAt(at) === SPACE) at += 1;
    const keySpan = { start, end: colon };
    if (at === end || text.charCodeAt(at) === HASH) {
      if (hasOdd(text, at, end)) return false;
      const empty = colon + (text.charCodeAt(colon + 1) === SPACE ? 2 : 1);
      this.open = {
        key,
        keySpan,
        valueSpan: { start: empty, end: empty },
        spanEnd: next,
        value: null,
        dashes: -1,
      };
      return true;
    }
    return text[at] === '['
      ? this.flowList(key, keySpan, at, end, next)
      : this.single(key, keySpan, at, end, next);
  }

  private single(key: string, keySpan: Span, at: number, end: number, next: number): boolean {
    const scalar = this.scalar(at, end, false);
    if (scalar === undefined) return false;
    this.keep(scalar, key);
    const valueSpan = { start: scalar.start, end: scalar.end };
    this.properties.push({
      key,
      keySpan,
      valueSpan,
      value: scalar.value,
      span: { start: keySpan.start, end: next },
    });
    return true;
  }

  private flowList(key: string, keySpan: Span, open: number, end: number, next: number): boolean {
    const { text } = this;
    const items: unknown[] = [];
    let at = skipSpaces(text, open + 1, end);
    while (text[at] !== ']') {
      if (at >= end) return false;
      const scalar = this.scalar(at, end, true);
      if (scalar === undefined) return false;
      this.keep(scalar, `${key}.${items.length}`);
      items.push(scalar.value);
      at = skipSpaces(text, scalar.end, end);
      if (text[at] === ',') at = skipSpaces(text, at + 1, end);
      else if (text[at] !== ']') return false;
    }
    if (!isTail(text, at + 1, end)) return false;
    const valueSpan = { start: open, end: at + 1 };
    this.properties.push({
      key,
      keySpan,
      valueSpan,
      value: items,
      span: { start: keySpan.start, end: next },
    });
    return true;
  }

  private item(dash: number, end: number, next: number, column: number): boolean {
    const { open, text } = this;
    if (open === undefined || (open.dashes >= 0 && open.dashes !== column)) return false;
    const scalar = this.scalar(skipSpaces(text, dash + 1, end), end, false);
    if (scalar === undefined) return false;
    const items = open.dashes < 0 ? [] : (open.value as unknown[]);
    this.keep(scalar, `${open.key}.${items.length}`);
    items.push(scalar.value);
    open.valueSpan = { start: open.dashes < 0 ? dash : open.valueSpan.start, end: scalar.end };
    open.dashes = column;
    open.value = items;
    open.spanEnd = next;
    return true;
  }

  private close(): void {
    if (this.open === undefined) return;
    const { key, keySpan, valueSpan, value, spanEnd } = this.open;
    this.properties.push({ key, keySpan, valueSpan, value, span: { start: keySpan.start, end: spanEnd } });
    this.open = undefined;
  }

  private keep({ value, start, end, style }: Scalar, keyPath: string): void {
    if (style !== undefined)
      this.scalars.push({ keyPath, value: value as string, span: { start, end }, style });
  }

  private scalar(start: number, end: number, inBrackets: boolean): Scalar | undefined {
    if (start >= end) return undefined;
    const { text } = this;
    const first = text.charCodeAt(start);
    if (first === 34 || first === 39) return this.quoted(start, end, first === 34, inBrackets);
    if (INDICATORS.has(first)) return undefined;
    if (first === DASH && !/[0-9A-Za-z.]/.test(text[start + 1] ?? '')) return undefined;
    return inBrackets ? this.plainInBrackets(start, end) : this.plain(start, end);
  }

  private plain(start: number, end: number): Scalar | undefined {
    const { text } = this;
    let stop = start;
    for (; stop < end; stop += 1) {
      const code = text.charCodeAt(stop);
      if (isOdd(code)) return undefined;
      if (code === HASH && text.charCodeAt(stop - 1) === SPACE) break;
      if (code === 58 && (stop + 1 === end || text.charCodeAt(stop + 1) === SPACE)) return undefined;
    }
    if (stop < end && hasOdd(text, stop, end)) return undefined;
    return typed(text, start, trimSpaces(text, start, stop));
  }

  private plainInBrackets(start: number, end: number): Scalar | undefined {
    const { text } = this;
    let stop = start;
    for (; stop < end; stop += 1) {
      const char = text[stop] ?? '';
      if (char === ',' || char === ']') break;
      if (isOdd(text.charCodeAt(stop)) || '[{}:#'.includes(char)) return undefined;
    }
    return stop === end ? undefined : typed(text, start, trimSpaces(text, start, stop));
  }

  private quoted(start: number, end: number, double: boolean, inBrackets: boolean): Scalar | undefined {
    const { text } = this;
    const quote = double ? '"' : "'";
    let stop = text.indexOf(quote, start + 1);
    while (!double && stop >= 0 && stop < end && text[stop + 1] === "'") stop = text.indexOf(quote, stop + 2);
    if (stop < 0 || stop >= end || hasOdd(text, start, stop)) return undefined;
    const raw = text.slice(start + 1, stop);
    if (double && raw.includes('\\')) return undefined;
    // A quoted text followed by a colon would be a key.
    if (inBrackets ? !/[ ,\]]/.test(text[stop + 1] ?? '') : !isTail(text, stop + 1, end)) return undefined;
    const value = double ? raw : raw.replaceAll("''", "'");
    return { value, start, end: stop + 1, style: double ? 'double' : 'single' };
  }
}

/** Types a plain scalar by the YAML 1.2 core schema; integers beyond 2^53 stay text. */
function typed(text: string, start: number, end: number): Scalar | undefined {
  const source = text.slice(start, end);
  if (source === '') return undefined;
  if (MAYBE_TYPED.test(source)) {
    if (ODD_NUMBER.test(source)) return undefined;
    if (NULL.test(source)) return { value: null, start, end, style: undefined };
    if (BOOLEAN.test(source)) return { value: /^t/i.test(source), start, end, style: undefined };
    if (INTEGER.test(source)) {
      const value = Number(source);
      return { value: Number.isSafeInteger(value) ? value : source, start, end, style: undefined };
    }
    if (FLOAT.test(source)) {
      const value = Number(source);
      return { value: Number.isFinite(value) ? value : source, start, end, style: undefined };
    }
  }
  return { value: source, start, end, style: 'plain' };
}

/** Whether a character is safe in a key: letters, digits, `_`, and after the first also ` -./()`. */
function isKeyChar(code: number, first: boolean): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95) return true;
  if (code >= 0xa1) return !isOdd(code);
  if (first) return false;
  return (
    (code >= 48 && code <= 57) || code === SPACE || (code >= 45 && code <= 47) || code === 40 || code === 41
  );
}

/** Control characters (tab included), and characters that some parsers read as a line break or ignore. */
function isOdd(code: number): boolean {
  return (
    code < SPACE || (code >= 0x7f && code <= 0xa0) || code === 0x2028 || code === 0x2029 || code === 0xfeff
  );
}

function hasOdd(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isOdd(text.charCodeAt(at))) return true;
  return false;
}

/** Whether the rest of the line is only spaces and a comment. */
function isTail(text: string, start: number, end: number): boolean {
  const at = skipSpaces(text, start, end);
  return at === end || (at > start && text.charCodeAt(at) === HASH && !hasOdd(text, at, end));
}

function skipSpaces(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === SPACE) at += 1;
  return at;
}

function trimSpaces(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) === SPACE) at -= 1;
  return at;
}
