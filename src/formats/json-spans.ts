import { LecternError } from '../errors.ts';
import type { Span } from '../notes/model.ts';
import { lineAndColumn } from '../notes/text.ts';

/** A JSON value with its span in the source, quotes and brackets included. Spans are in UTF-16 code units. */
export type JsonNode = JsonScalar | JsonString | JsonArray | JsonObject;

export interface JsonScalar {
  readonly kind: 'scalar';
  readonly value: number | boolean | null;
  readonly span: Span;
}

export interface JsonString {
  readonly kind: 'string';
  readonly value: string;
  readonly span: Span;
}

export interface JsonArray {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
  readonly span: Span;
}

export interface JsonMember {
  readonly key: JsonString;
  readonly value: JsonNode;
}

export interface JsonObject {
  readonly kind: 'object';
  /** In source order, repeated keys included. */
  readonly members: readonly JsonMember[];
  readonly span: Span;
}

/** Deepest nesting of arrays and objects that is parsed. */
const MAX_DEPTH = 256;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
/** A literal that JSON does not have, for the error message: `NaN`, `-Infinity`, `undefined`. */
const WORD = /[-+]?[A-Za-z_]\w{0,30}/y;
const PLAIN_CHARS = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Parses strict JSON (RFC 8259) and keeps the span of each value, so that one value can be rewritten without
 * changing any other byte. A leading BOM is skipped.
 *
 * @param what subject of the error message: `The canvas`
 * @throws LecternError `invalid_input` with `details: { offset, line, column }`, the offset in UTF-16 code units
 */
export function parseJson(text: string, what: string): JsonNode {
  const parser = new JsonParser(text, what);
  return parser.parse();
}

/**
 * Parses one value inside a text that is known to be valid JSON.
 *
 * @param at offset of its first character, UTF-16 code units
 */
export function parseJsonAt(text: string, at: number): JsonNode {
  return new JsonParser(text, 'The value', at).one();
}

/** The value of an object's key, the last one of a repeated key as in JSON.parse; undefined when absent. */
export function member(object: JsonObject, key: string): JsonNode | undefined {
  return object.members.findLast((one) => one.key.value === key)?.value;
}

/** Converts a node to the plain JavaScript value that JSON.parse gives. */
export function plainValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'array':
      return node.items.map(plainValue);
    case 'object':
      return Object.fromEntries(node.members.map((one) => [one.key.value, plainValue(one.value)]));
    default:
      return node.value;
  }
}

/**
 * Maps offsets in a string's decoded value to offsets in its source, both in UTF-16 code units: an escape such
 * as `\n` is one unit decoded and two in the source, `\u00e9` six.
 *
 * @param text the source the string was parsed from
 * @returns a function from an offset `0…value.length` to an offset in `text`
 */
export function sourceOffsets(text: string, string: JsonString): (decoded: number) => number {
  const start = string.span.start + 1;
  if (string.span.end - 1 - start === string.value.length) return (decoded) => start + decoded;
  const offsets = new Uint32Array(string.value.length + 1);
  let at = start;
  for (let decoded = 0; decoded < string.value.length; decoded += 1) {
    offsets[decoded] = at;
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
  }
  offsets[string.value.length] = at;
  return (decoded) => offsets[decoded] ?? at;
}

/** Escapes text for a JSON string, without the surrounding quotes. */
export function jsonStringContent(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

class JsonParser {
  private at: number;

  constructor(
    private readonly text: string,
    private readonly what: string,
    start = text.charCodeAt(0) === 0xfeff ? 1 : 0,
  ) {
    this.at = start;
  }

  one(): JsonNode {
    return this.value(0);
  }

  parse(): JsonNode {
    this.skipSpace();
    const node = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) throw this.error('there is more text after the end');
    return node;
  }

  private value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.error('it is nested too deeply');
    const char = this.text[this.at];
    if (char === '"') return this.string();
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    return this.scalar();
  }

  private object(depth: number): JsonObject {
    const start = this.at;
    const members: JsonMember[] = [];
    this.at += 1;
    this.skipSpace();
    while (this.text[this.at] !== '}') {
      if (members.length > 0) this.expect(',', 'a comma or "}"');
      if (this.text[this.at] !== '"') throw this.error('a key in quotes is missing');
      const key = this.string();
      this.skipSpace();
      this.expect(':', 'a colon');
      members.push({ key, value: this.value(depth + 1) });
      this.skipSpace();
    }
    this.at += 1;
    return { kind: 'object', members, span: { start, end: this.at } };
  }

  private array(depth: number): JsonArray {
    const start = this.at;
    const items: JsonNode[] = [];
    this.at += 1;
    this.skipSpace();
    while (this.text[this.at] !== ']') {
      if (items.length > 0) this.expect(',', 'a comma or "]"');
      items.push(this.value(depth + 1));
      this.skipSpace();
    }
    this.at += 1;
    return { kind: 'array', items, span: { start, end: this.at } };
  }

  private string(): JsonString {
    const start = this.at;
    this.at += 1;
    let value = '';
    for (;;) {
      PLAIN_CHARS.lastIndex = this.at;
      const [plain = ''] = PLAIN_CHARS.exec(this.text) ?? [];
      value += plain;
      this.at += plain.length;
      const char = this.text[this.at];
      if (char === '"') break;
      if (char !== '\\') {
        throw this.error(
          char === undefined ? 'a string has no end' : 'a control character stands in a string',
        );
      }
      value += this.escape();
    }
    this.at += 1;
    return { kind: 'string', value, span: { start, end: this.at } };
  }

  private escape(): string {
    const char = this.text[this.at + 1] ?? '';
    if (char === 'u') {
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw this.error('an escape is not valid');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const meant = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    if (meant === undefined) throw this.error('an escape is not valid');
    this.at += 2;
    return meant;
  }

  private scalar(): JsonScalar {
    const start = this.at;
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(word, start)) {
        this.at += word.length;
        return { kind: 'scalar', value, span: { start, end: this.at } };
      }
    }
    NUMBER.lastIndex = start;
    const number = NUMBER.exec(this.text)?.[0];
    if (number === undefined) throw this.error(this.noValue(start));
    this.at += number.length;
    return { kind: 'scalar', value: Number(number), span: { start, end: this.at } };
  }

  private noValue(start: number): string {
    if (start >= this.text.length) return 'it ends too early';
    WORD.lastIndex = start;
    const word = WORD.exec(this.text)?.[0];
    return word === undefined ? 'a value is missing or not valid' : `${word} is no value that JSON has`;
  }

  private expect(char: string, name: string): void {
    if (this.text[this.at] !== char) {
      throw this.error(this.at >= this.text.length ? 'it ends too early' : `${name} is missing`);
    }
    this.at += 1;
    this.skipSpace();
  }

  private skipSpace(): void {
    for (;;) {
      const char = this.text[this.at];
      if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') return;
      this.at += 1;
    }
  }

  private error(reason: string): LecternError {
    const { line, column } = lineAndColumn(this.text, this.at);
    return new LecternError(
      'invalid_input',
      `${this.what} is not valid JSON: ${reason} (line ${line}, column ${column}).`,
      {
        details: { offset: this.at, line, column },
        next: 'Repair the file in an editor first; nothing was changed.',
      },
    );
  }
}
