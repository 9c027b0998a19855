import type { Span } from '../notes/model.ts';
import { parseJson } from './json-spans.ts';

/**
 * A JSON document as plain values, with the spans of its top levels only, so that a large document takes little
 * memory. Spans are UTF-16 code units of the source text.
 */
export interface JsonPlaces {
  readonly value: unknown;
  /** The document without surrounding white space and byte order mark. */
  readonly span: Span;
  /** The members of a top-level object in source order, repeated keys included; empty for any other value. */
  readonly members: readonly MemberPlace[];
  /** The entries of each requested list, by its key. Of a repeated key the last counts, as in `value`. */
  readonly lists: ReadonlyMap<string, readonly Span[]>;
}

export interface MemberPlace {
  readonly key: string;
  /** From the key's opening quote to the end of its value. */
  readonly span: Span;
  readonly value: Span;
}

/** Deepest nesting, the same as in `parseJson`. */
const MAX_DEPTH = 256;
const SCALAR = /[^\s,\]}]*/y;
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  34, 92, 123, 125, 91, 93,
] as const;

/**
 * Parses strict JSON (RFC 8259) and finds the spans of its top-level members and of the entries of the
 * requested lists. It takes a fraction of the memory of `parseJson`, which keeps a span for every value.
 *
 * @param what subject of the error message: `The canvas`
 * @param lists top-level keys whose entries are wanted
 * @throws LecternError `invalid_input` with `details: { offset, line, column }`, the offset in UTF-16 code units
 */
export function jsonPlaces(text: string, what: string, lists: readonly string[]): JsonPlaces {
  const start = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  let value: unknown;
  try {
    value = JSON.parse(text.slice(start));
  } catch {
    // parseJson throws an error that names the position.
    parseJson(text, what);
    throw new Error('JSON.parse refuses what parseJson takes.');
  }
  const end = endOfValue(text, start, what);
  const members = text.charCodeAt(start) === OPEN_BRACE ? membersOf(text, start, what) : [];
  const found = new Map<string, readonly Span[]>();
  for (const key of lists) {
    const place = members.findLast((one) => one.key === key)?.value;
    if (place !== undefined && text.charCodeAt(place.start) === OPEN_BRACKET)
      found.set(key, entriesOf(text, place.start, what));
  }
  return { value, span: { start, end }, members, lists: found };
}

function membersOf(text: string, start: number, what: string): MemberPlace[] {
  const members: MemberPlace[] = [];
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = endOfString(text, at);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, valueStart, what);
    members.push({
      key: JSON.parse(text.slice(at, keyEnd)) as string,
      span: { start: at, end },
      value: { start: valueStart, end },
    });
    at = behindComma(text, end);
  }
  return members;
}

function entriesOf(text: string, start: number, what: string): Span[] {
  const entries: Span[] = [];
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = endOfValue(text, at, what);
    entries.push({ start: at, end });
    at = behindComma(text, end);
  }
  return entries;
}

/** The start of the next entry after a value that ends at `end`, or the position of the closing bracket. */
function behindComma(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

/**
 * The end offset of a value in valid JSON.
 *
 * @throws LecternError `invalid_input` when it is nested too deeply
 */
function endOfValue(text: string, start: number, what: string): number {
  let depth = 0;
  let at = start;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      // parseJson throws an error that names the position.
      if (depth > MAX_DEPTH) parseJson(text, what);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    else if (depth === 0) {
      SCALAR.lastIndex = at;
      return at + (SCALAR.exec(text)?.[0].length ?? 0);
    }
    at += 1;
  } while (depth > 0);
  return at;
}

/** @param start offset of the opening quote. @returns the offset after the closing quote */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 9 && code !== 13) return at;
    at += 1;
  }
}
