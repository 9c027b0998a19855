import { type Document, isCollection, isScalar, type Pair, visit } from 'yaml';
import type { PropertyScalar } from './block.ts';

/** Offsets of the `yaml` package's nodes in their source, which its types do not declare. */

/** Start and end of a node, -1 when it has none (an empty key or value). */
export function rangeOf(node: unknown): readonly [number, number] {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range ? [range[0], range[1]] : [-1, -1];
}

/** Start of a node; -1 when it has none. */
export function startOf(node: unknown): number {
  return rangeOf(node)[0];
}

/**
 * The offset of the quote or bracket that is still open at an error: an unclosed one includes the lines below,
 * and the parser reports the error at their end.
 */
export function openedAt(document: Document.Parsed, source: string, offset: number): number | undefined {
  let opened: number | undefined;
  visit(document, (_, node) => {
    const [start, end] = rangeOf(node);
    const isEnclosed = (isCollection(node) && node.flow === true) || (isScalar(node) && isQuoted(node.type));
    if (!isEnclosed || start < 0 || start >= offset || offset > end) return;
    const isClosed = end > start + 1 && source[end - 1] === CLOSING[source[start] ?? ''];
    if (!isClosed) opened ??= start;
  });
  return opened;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '"': '"', "'": "'" };

function isQuoted(type: string | null | undefined): boolean {
  return type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
}

/** The name after `&`. */
export function anchorOf(node: unknown): string | undefined {
  return (node as { anchor?: string } | null)?.anchor;
}

interface SourceToken {
  readonly type: string;
  readonly offset: number;
}

function tokensOf(pair: Pair): { start?: SourceToken[]; sep?: SourceToken[] } {
  return (pair.srcToken ?? {}) as { start?: SourceToken[]; sep?: SourceToken[] };
}

/** The start offset of a pair: of its key, or else of its `?` or `:`. */
export function pairStart(pair: Pair): number {
  const written = startOf(pair.key);
  if (written >= 0) return written;
  const { start, sep } = tokensOf(pair);
  return start?.[0]?.offset ?? sep?.[0]?.offset ?? 0;
}

/** The offsets of a pair's `:` and of the first anchor or tag between it and the value. */
export function valueTokens(pair: Pair): { colon: number | undefined; props: number | undefined } {
  let colon: number | undefined;
  for (const token of tokensOf(pair).sep ?? []) {
    if (token.type === 'map-value-ind') colon = token.offset;
    else if (token.type === 'anchor' || token.type === 'tag') return { colon, props: token.offset };
  }
  return { colon, props: undefined };
}

/**
 * The end of a value as written: a block scalar's final EOL is not part of it, except with `|+`, which keeps
 * it.
 */
export function trimEol(source: string, start: number, end: number, type: string | null | undefined): number {
  if (type !== 'BLOCK_LITERAL' && type !== 'BLOCK_FOLDED') return end;
  if (/^[|>][0-9]?\+/.test(source.slice(start, start + 3))) return end;
  let at = end;
  while (at > start && /[\r\n]/.test(source[at - 1] ?? '')) at -= 1;
  return at;
}

/** The quoting of a scalar, from its node type. */
export function styleOf(type: string | null | undefined): PropertyScalar['style'] {
  if (type === 'QUOTE_SINGLE') return 'single';
  if (type === 'QUOTE_DOUBLE') return 'double';
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}
