import { type Document, isCollection, isScalar, type Pair, visit } from 'yaml';
import type { PropertyScalar } from './block.ts';

/** Where the `yaml` package's nodes stand in their source, as far as its types leave it open. */

/** Start and end of a node, -1 when it has none (an empty key or value). */
export function rangeOf(node: unknown): readonly [number, number] {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range ? [range[0], range[1]] : [-1, -1];
}

export function startOf(node: unknown): number {
  return rangeOf(node)[0];
}

/**
 * Where the quote or bracket stands that is still open at the place of an error: what is never closed takes in
 * the lines below, and the parser finds out at their end.
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

/** Where a pair starts: its key, else its `?` or `:`. */
export function pairStart(pair: Pair): number {
  const written = startOf(pair.key);
  if (written >= 0) return written;
  const { start, sep } = tokensOf(pair);
  return start?.[0]?.offset ?? sep?.[0]?.offset ?? 0;
}

/** The `:` of a pair, and the first anchor or tag between it and the value. */
export function valueTokens(pair: Pair): { colon: number | undefined; props: number | undefined } {
  let colon: number | undefined;
  for (const token of tokensOf(pair).sep ?? []) {
    if (token.type === 'map-value-ind') colon = token.offset;
    else if (token.type === 'anchor' || token.type === 'tag') return { colon, props: token.offset };
  }
  return { colon, props: undefined };
}

/** Block scalars end with their last content line's EOL; what is "the value as written" does not, unless it keeps (`|+`). */
export function trimEol(source: string, start: number, end: number, type: string | null | undefined): number {
  if (type !== 'BLOCK_LITERAL' && type !== 'BLOCK_FOLDED') return end;
  if (/^[|>][0-9]?\+/.test(source.slice(start, start + 3))) return end;
  let at = end;
  while (at > start && /[\r\n]/.test(source[at - 1] ?? '')) at -= 1;
  return at;
}

/** How a scalar is quoted. */
export function styleOf(type: string | null | undefined): PropertyScalar['style'] {
  if (type === 'QUOTE_SINGLE') return 'single';
  if (type === 'QUOTE_DOUBLE') return 'double';
  return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}
