import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import type { FrontmatterProblem, Property, Span } from '../model.ts';
import { type BlockReading, lineAt, type PropertyScalar, setOwn } from './block.ts';
import { MAX_LEVELS, nestsTooDeepAt } from './yaml-nesting.ts';
import {
  anchorOf,
  openedAt,
  pairStart,
  rangeOf,
  startOf,
  styleOf,
  trimEol,
  valueTokens,
} from './yaml-nodes.ts';

/** Most values that aliases may repeat; nested aliases (`&a [*b, *b]`) would grow exponentially. */
const MAX_ALIASED_NODES = 10_000;
/** Most problems that are reported; binary data between two fences yields thousands. */
const MAX_PROBLEMS = 20;
/** Longest block, UTF-16 code units. */
const MAX_LENGTH = 512 * 1024;
const PLACEHOLDER = /^\{\{[^{}\r\n]*\}\}$/;

const DOCUMENT_MARKER = /^(?:\.\.\.|---)(?=\s|$)/m;

/** Thrown inside this file to stop reading; always converted to a problem. */
class Unreadable extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/**
 * Parses the content of a front matter block as YAML 1.2 core, of which JSON is a subset. Dates stay strings.
 * Integers beyond 2^53 and non-finite numbers stay the written string, so that no digit is lost. `{{date}}`,
 * which YAML reads as a map in a map, stays a string with a warning. It never throws: errors are in `problems`.
 *
 * @param text the whole note
 * @param content the span between the fences
 */
export function readYaml(text: string, content: Span): BlockReading {
  const reader = new YamlReader(text, content);
  return reader.read();
}

class YamlReader {
  private readonly source: string;
  private readonly base: number;
  private readonly properties: Property[] = [];
  private readonly scalars: PropertyScalar[] = [];
  private readonly problems: FrontmatterProblem[] = [];
  private readonly anchors = new Map<string, { value: unknown; size: number }>();
  private aliased = 0;
  private nodes = 0;

  constructor(
    private readonly text: string,
    content: Span,
  ) {
    this.source = text.slice(content.start, content.end);
    this.base = content.start;
  }

  read(): BlockReading {
    try {
      this.refuseHostile();
      this.refuseMarkers();
      const document = parseDocument(this.source, {
        version: '1.2',
        schema: 'core',
        keepSourceTokens: true,
        uniqueKeys: false,
        prettyErrors: false,
        strict: true,
        logLevel: 'silent',
      });
      if (this.reportErrors(document)) return { properties: [], scalars: [], problems: this.problems };
      this.readTop(document);
    } catch (error) {
      // The parser is recursive: a block of 100,000 brackets exhausts the stack.
      const known = error instanceof Unreadable;
      this.report(
        'error',
        known ? error.code : 'invalid_yaml',
        known ? error.message : 'the YAML cannot be read',
        known ? error.offset : 0,
      );
      return { properties: [], scalars: [], problems: this.problems };
    }
    return { properties: this.properties, scalars: this.scalars, problems: this.problems };
  }

  /** Refuses input that would take the parser seconds; real notes are far below these limits. */
  private refuseHostile(): void {
    if (this.source.length > MAX_LENGTH)
      throw new Unreadable('too_large', 'the front matter is too large', 0);
    const deep = nestsTooDeepAt(this.source);
    if (deep !== undefined) throw new Unreadable('too_deep', 'the value is nested too deeply', deep);
  }

  /** Refuses `...` and `--- x`, which would start another YAML document. */
  private refuseMarkers(): void {
    const marker = DOCUMENT_MARKER.exec(this.source);
    if (marker !== null)
      throw new Unreadable('document_marker', 'a YAML document marker inside the front matter', marker.index);
  }

  private reportErrors(document: Document.Parsed): boolean {
    for (const error of document.errors.slice(0, MAX_PROBLEMS)) {
      const offset = openedAt(document, this.source, error.pos[0]) ?? error.pos[0];
      const [code, message] = this.describe(error.code, error.message, offset);
      this.report('error', code, message, offset);
    }
    for (const warning of document.warnings.slice(0, MAX_PROBLEMS)) {
      this.report('warning', 'unknown_tag', warning.message, warning.pos[0]);
    }
    return document.errors.length > 0;
  }

  private describe(code: string, message: string, offset: number): [string, string] {
    if (code === 'TAB_AS_INDENT') return ['tab_indent', 'tab used for indentation'];
    const lineStart = this.source.lastIndexOf('\n', offset - 1) + 1;
    const lineEnd = this.source.indexOf('\n', offset);
    const line = this.source.slice(lineStart, lineEnd < 0 ? undefined : lineEnd);
    if (line.includes('{{'))
      return ['template_placeholder', 'a template placeholder makes this line invalid YAML'];
    return ['invalid_yaml', message];
  }

  private readTop(document: Document.Parsed): void {
    const top = document.contents;
    if (top === null || (isScalar(top) && top.value === null && top.source === '')) return;
    if (!isMap(top)) {
      throw new Unreadable('not_a_map', 'the front matter is not a map of keys and values', startOf(top));
    }
    if (PLACEHOLDER.test(this.source.slice(...rangeOf(top)))) {
      throw new Unreadable(
        'template_placeholder',
        'a template placeholder stands in place of the properties',
        startOf(top),
      );
    }
    const seen = new Map<string, number>();
    for (const pair of top.items) {
      const key = this.keyOf(pair.key);
      const keySpan = this.spanOf(pair.key, pairStart(pair));
      const valueSpan = this.valueSpanOf(pair, keySpan);
      if (keySpan.start < (this.properties.at(-1)?.span.end ?? 0)) {
        throw new Unreadable(
          'invalid_yaml',
          'a key does not stand on a line of its own',
          keySpan.start - this.base,
        );
      }
      this.noteDuplicate(seen, key, keySpan.start);
      const value = this.valueOf(pair.value, key, 0);
      this.properties.push({
        key,
        keySpan,
        valueSpan,
        value,
        span: this.pairSpan(keySpan, valueSpan, top.flow === true),
      });
    }
  }

  /** Reports a repeated key. @param seen offset of each key's first occurrence */
  private noteDuplicate(seen: Map<string, number>, key: string, offset: number): void {
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, offset);
    } else if (this.problems.length < MAX_PROBLEMS) {
      const line = lineAt(this.text, offset);
      const message = `duplicate key "${key}" (lines ${lineAt(this.text, first)} and ${line})`;
      this.problems.push({ severity: 'error', code: 'duplicate_key', message, line });
    }
  }

  /** Converts a node to a plain value and collects its string scalars. */
  private valueOf(node: unknown, keyPath: string, depth: number): unknown {
    this.nodes += 1;
    const before = this.nodes;
    if (depth > MAX_LEVELS) throw new Unreadable('too_deep', 'the value is nested too deeply', startOf(node));
    let value: unknown = null;
    if (isScalar(node)) value = this.scalarOf(node, keyPath);
    else if (isAlias(node)) return this.resolve(node.source, startOf(node));
    else if (isSeq(node)) {
      this.warnWikilink(node);
      value = node.items.map((item, i) => this.valueOf(item, `${keyPath}.${i}`, depth + 1));
    } else if (isMap(node)) value = this.mapOf(node, keyPath, depth);
    else if (isPair(node)) {
      const map: Record<string, unknown> = {};
      const key = this.keyOf(node.key);
      setOwn(map, key, this.valueOf(node.value, `${keyPath}.${key}`, depth + 1));
      value = map;
    }
    const anchor = anchorOf(node);
    if (anchor !== undefined) this.anchors.set(anchor, { value, size: this.nodes - before + 1 });
    return value;
  }

  private mapOf(
    node: { items: Pair[]; flow?: boolean; range?: unknown },
    keyPath: string,
    depth: number,
  ): unknown {
    if (node.flow === true) {
      const [start, end] = rangeOf(node);
      const raw = this.source.slice(start, end);
      if (PLACEHOLDER.test(raw)) {
        this.report(
          'warning',
          'template_placeholder',
          `template placeholder ${raw} needs quotes to be YAML text`,
          start,
        );
        return raw;
      }
    }
    const map: Record<string, unknown> = {};
    const seen = new Map<string, number>();
    for (const pair of node.items) {
      const key = this.keyOf(pair.key);
      this.noteDuplicate(seen, key, this.base + pairStart(pair));
      const value = this.valueOf(pair.value, `${keyPath}.${key}`, depth + 1);
      if (!Object.hasOwn(map, key)) setOwn(map, key, value);
    }
    return map;
  }

  private scalarOf(node: Scalar, keyPath: string): unknown {
    const { value, source = '' } = node;
    if (typeof value === 'number') {
      return Number.isFinite(value) &&
        (!Number.isInteger(value) ||
          Number.isSafeInteger(value) ||
          !/^(?:[-+]?[0-9]+|0[xo][0-9a-f]+)$/i.test(source))
        ? value
        : source;
    }
    if (typeof value === 'string') {
      const [start, end] = rangeOf(node);
      const span = { start: this.base + start, end: this.base + trimEol(this.source, start, end, node.type) };
      this.scalars.push({ keyPath, value, span, style: styleOf(node.type) });
    }
    return value;
  }

  private resolve(name: string, offset: number): unknown {
    const anchor = this.anchors.get(name);
    if (anchor === undefined)
      throw new Unreadable('unknown_alias', `the alias *${name} has no anchor before it`, offset);
    this.aliased += anchor.size;
    this.nodes += anchor.size - 1;
    if (this.aliased > MAX_ALIASED_NODES) {
      throw new Unreadable('alias_expansion', 'aliases repeat too many values', offset);
    }
    return anchor.value;
  }

  /** Warns of `key: [[Note]]`, which is a nested list in YAML and not a link. */
  private warnWikilink(node: { items: unknown[]; flow?: boolean; range?: unknown }): void {
    const [inner] = node.items;
    if (node.flow !== true || node.items.length !== 1 || !isSeq(inner) || inner.flow !== true) return;
    const [start, end] = rangeOf(node);
    const raw = this.source.slice(start, end);
    const texts =
      inner.items.length > 0 &&
      inner.items.every((item) => isScalar(item) && typeof item.value === 'string' && item.type === 'PLAIN');
    if (!texts || !raw.startsWith('[[') || !raw.endsWith(']]')) return;
    this.report('warning', 'unquoted_wikilink', `wikilink needs quotes: "${raw}"`, start);
  }

  private keyOf(key: unknown): string {
    const [start, end] = rangeOf(key);
    const source = this.source.slice(start, end);
    const blockCollection = (isMap(key) || isSeq(key)) && key.flow !== true;
    if (start >= 0 && (blockCollection || source.includes('\n'))) {
      throw new Unreadable('unsupported_key', 'a key is more than one line of text', start);
    }
    if (isScalar(key)) return key.type === 'PLAIN' ? (key.source ?? '') : String(key.value);
    return start < 0 ? '' : source;
  }

  private spanOf(node: unknown, fallback: number): Span {
    const range = (node as { range?: [number, number, number] } | null)?.range;
    const start = range?.[0] ?? fallback;
    return { start: this.base + start, end: this.base + (range?.[1] ?? start) };
  }

  private valueSpanOf(pair: Pair, keySpan: Span): Span {
    const { colon, props } = valueTokens(pair);
    const end = this.endOf(pair.value);
    const start = props ?? startOf(pair.value);
    if (start >= 0 && end > start) return { start: this.base + start, end: this.base + end };
    if (props !== undefined) {
      // An anchor or tag with nothing after it: `a: &x`.
      const stop = this.source.slice(props).search(/\s|$/) + props;
      return { start: this.base + props, end: this.base + stop };
    }
    if (colon === undefined) return { start: keySpan.end, end: keySpan.end };
    const at = this.base + colon + 1 + (this.source[colon + 1] === ' ' ? 1 : 0);
    return { start: at, end: at };
  }

  /** The offset after a value's last character; the parser's ranges of collections include the EOL. */
  private endOf(node: unknown): number {
    if ((isMap(node) || isSeq(node)) && node.flow !== true) {
      const last = node.items.at(-1);
      if (isPair(last)) {
        const span = this.valueSpanOf(last, this.spanOf(last.key, pairStart(last)));
        return span.end - this.base;
      }
      const end = this.endOf(last);
      // `- ` with nothing after it: the dash is the last character written.
      return end > startOf(last) ? end : Math.max(this.source.lastIndexOf('-', startOf(last)) + 1, end);
    }
    const [start, end] = rangeOf(node);
    return trimEol(this.source, start, end, isScalar(node) ? node.type : undefined);
  }

  private pairSpan(keySpan: Span, valueSpan: Span, flow: boolean): Span {
    if (flow) return { start: keySpan.start, end: Math.max(keySpan.end, valueSpan.end) };
    const start = Math.max(this.base, this.text.lastIndexOf('\n', keySpan.start - 1) + 1);
    const last = Math.max(keySpan.end, valueSpan.end);
    if (last > valueSpan.start && this.text[last - 1] === '\n') return { start, end: last };
    const newline = this.text.indexOf('\n', last);
    return { start, end: newline < 0 ? this.base + this.source.length : newline + 1 };
  }

  private report(severity: 'error' | 'warning', code: string, message: string, offset: number): void {
    const line = lineAt(this.text, this.base + offset);
    const known = this.problems.some(
      (one) => one.line === line && one.code === code && one.message === message,
    );
    if (!known && this.problems.length < MAX_PROBLEMS) this.problems.push({ severity, code, message, line });
  }
}
