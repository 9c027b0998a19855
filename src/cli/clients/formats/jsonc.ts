/**
 * A parser for JSON with comments and trailing commas that keeps the span of every node, so that edits can keep
 * all other bytes.
 */

export interface JsonSpan {
  /** Offset of the first character, UTF-16 code units. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
}

export interface JsonProperty extends JsonSpan {
  readonly key: string;
  readonly value: JsonNode;
}

export type JsonNode = JsonSpan &
  (
    | { readonly kind: 'object'; readonly properties: readonly JsonProperty[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  );

const BOM = '\ufeff';
/** Deepest nesting: far deeper than real settings, and far below the limit of the call stack. */
const MAX_DEPTH = 500;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /[ \t\r\n]+/y;
const LINE_COMMENT = /\/\/[^\r\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;

/**
 * Parses a text.
 *
 * @returns undefined for a text with only white space and comments
 * @throws SyntaxError with the line of the error
 */
export function parseJsonc(text: string): JsonNode | undefined {
  const reader = new Reader(text);
  reader.skip();
  if (reader.at === text.length) return undefined;
  const root = reader.value(0);
  reader.skip();
  if (reader.at < text.length) throw reader.wrong('more than one value');
  return root;
}

/** The plain value of a node. */
export function jsonValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(jsonValue);
  // Object.fromEntries defines keys instead of assigning them, so that a key may be `__proto__`.
  return Object.fromEntries(node.properties.map(({ key, value }) => [key, jsonValue(value)]));
}

/** Skips white space and comments from an offset: the end offset, and the spans of the comments. */
export function blanksFrom(text: string, from: number): { end: number; comments: readonly JsonSpan[] } {
  const comments: JsonSpan[] = [];
  let at = from;
  for (;;) {
    const blank = matchAt(BLANK, text, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const comment = matchAt(LINE_COMMENT, text, at) ?? matchAt(BLOCK_COMMENT, text, at);
    if (comment === undefined) return { end: at, comments };
    comments.push({ start: at, end: at + comment.length });
    at += comment.length;
  }
}

class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.at = text.startsWith(BOM) ? 1 : 0;
  }

  skip(): void {
    this.at = blanksFrom(this.#text, this.at).end;
  }

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.wrong('too many levels');
    const start = this.at;
    const char = this.#text[start];
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#array(depth);
    if (char === '"') {
      const value = this.#string();
      return { kind: 'scalar', value, start, end: this.at };
    }
    const word = matchAt(SCALAR, this.#text, start);
    if (word === undefined) throw this.wrong('no value where one should be');
    this.at += word.length;
    return { kind: 'scalar', value: JSON.parse(word), start, end: this.at };
  }

  wrong(what: string): SyntaxError {
    const line = this.#text.slice(0, this.at).split('\n').length;
    return new SyntaxError(`line ${line} has ${what}`);
  }

  #object(depth: number): JsonNode {
    const start = this.at++;
    const properties: JsonProperty[] = [];
    this.#members('}', () => {
      const from = this.at;
      if (this.#text[from] !== '"') throw this.wrong('no name in quotes where one should be');
      const key = this.#string();
      this.skip();
      this.#expect(':');
      this.skip();
      const value = this.value(depth + 1);
      properties.push({ key, value, start: from, end: value.end });
    });
    return { kind: 'object', properties, start, end: this.at };
  }

  #array(depth: number): JsonNode {
    const start = this.at++;
    const items: JsonNode[] = [];
    this.#members(']', () => items.push(this.value(depth + 1)));
    return { kind: 'array', items, start, end: this.at };
  }

  #members(close: string, member: () => void): void {
    this.skip();
    while (this.#text[this.at] !== close) {
      member();
      this.skip();
      if (this.#text[this.at] === close) break;
      this.#expect(',');
      this.skip();
    }
    this.at++;
  }

  #string(): string {
    const written = matchAt(STRING, this.#text, this.at);
    if (written === undefined) throw this.wrong('a text that does not end or holds what a text cannot');
    this.at += written.length;
    return String(JSON.parse(written));
  }

  #expect(char: string): void {
    if (this.#text[this.at] !== char) throw this.wrong(`no "${char}" where one should be`);
    this.at++;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
