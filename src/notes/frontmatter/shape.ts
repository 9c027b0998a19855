import { isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';
import type { Property, Span } from '../model.ts';

/** The syntax of a property's value, for edits of single items. */
export interface ValueShape {
  readonly kind: 'empty' | 'scalar' | 'flow-list' | 'block-list' | 'flow-map' | 'block-map';
  /** The quoting of a scalar. */
  readonly quote: 'plain' | 'single' | 'double' | 'block';
  /** A list's items, in the note's text; an item without text has an empty span. */
  readonly items: readonly Span[];
  /** The quoting of each item; `plain` for an item that is no string. */
  readonly itemQuotes: readonly ValueShape['quote'][];
}

const EMPTY: ValueShape = { kind: 'empty', quote: 'plain', items: [], itemQuotes: [] };

/** Reads the shape of one property of a front matter block that has no errors. */
export function shapeOf(text: string, property: Property): ValueShape {
  const base = property.span.start;
  const value = valueNode(text, property);
  if (isSeq(value)) {
    return {
      kind: value.flow === true ? 'flow-list' : 'block-list',
      quote: 'plain',
      items: value.items.map((item) => spanOf(item, base, property.valueSpan.end)),
      itemQuotes: value.items.map(quoteOf),
    };
  }
  if (isMap(value)) return { ...EMPTY, kind: value.flow === true ? 'flow-map' : 'block-map' };
  const empty = property.valueSpan.start === property.valueSpan.end;
  return empty ? EMPTY : { ...EMPTY, kind: 'scalar', quote: quoteOf(value) };
}

/** The YAML node of the property's value; its offsets are relative to the start of the property. */
export function valueNode(text: string, property: Property): unknown {
  const source = text.slice(property.span.start, property.span.end);
  const document = parseDocument(source, { keepSourceTokens: false, uniqueKeys: false, logLevel: 'silent' });
  const pair: Pair | undefined = isMap(document.contents) ? document.contents.items[0] : undefined;
  return pair?.value;
}

/** The span of a node in the note, for a property that starts at `base` and whose value ends at `limit`. */
export function spanOf(node: unknown, base: number, limit: number): Span {
  const range = (node as { range?: [number, number, number] } | null)?.range;
  const start = base + (range?.[0] ?? 0);
  return { start, end: Math.min(base + (range?.[1] ?? 0), limit) };
}

/** The quoting of a node; `plain` for one that is no scalar. */
export function quoteOf(node: unknown): ValueShape['quote'] {
  if (!isScalar(node)) return 'plain';
  if (node.type === 'QUOTE_SINGLE') return 'single';
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  return node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}
