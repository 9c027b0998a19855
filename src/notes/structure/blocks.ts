import type { MarkdownNode } from '../markdown.ts';
import type { Block, ParsedNote, Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';
import { isFiller } from './comments.ts';

/**
 * Block ids: ` ^id` at the end of a paragraph, list item or heading, or in a separate paragraph below a block.
 */

export type BlockLookup =
  | { readonly kind: 'found'; readonly block: Block }
  | { readonly kind: 'none' }
  /** Several blocks have the id; links lead to the first. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Block[] };

/** Finds a block. @param id with or without `^`; case is ignored */
export function findBlock(note: Pick<ParsedNote, 'blocks'>, id: string): BlockLookup {
  const key = id.replace(/^#?\^/, '').toLowerCase();
  const candidates = note.blocks.filter((block) => block.id.toLowerCase() === key);
  const [block] = candidates;
  if (block === undefined) return { kind: 'none' };
  return candidates.length === 1 ? { kind: 'found', block } : { kind: 'ambiguous', candidates };
}

/**
 * The blocks with an id. A list item's block includes its nested items, so that its id may be inside the span
 * instead of after it.
 */
export function readBlocks(
  text: string,
  nodes: readonly MarkdownNode[],
  opaque: readonly Span[],
  lines: LineIndex,
): Block[] {
  const blocks: Block[] = [];
  for (const node of nodes) {
    if (node.kind !== 'paragraph' && node.kind !== 'heading') continue;
    const idSpan = trailingId(text, node);
    if (idSpan === undefined || spanAt(opaque, idSpan.start) !== undefined) continue;
    const alone = idSpan.start === node.start;
    const span = alone ? blockBefore(node, opaque) : ownedBlock(text, node, idSpan);
    if (span === undefined) continue;
    blocks.push({
      id: text.slice(idSpan.start + 1, idSpan.end),
      span: { start: span.start, end: span.end },
      idSpan,
      placement: alone ? 'own-line' : 'inline',
      line: lines.lineAt(span.start),
    });
  }
  return blocks;
}

/** The block above a node, ignoring comments. */
function blockBefore(node: MarkdownNode, opaque: readonly Span[]): MarkdownNode | undefined {
  let before = node.previous;
  while (before !== undefined && isFiller(before, opaque)) before = before.previous;
  return before;
}

/** The `^id` at a node's end, after white space or at its start; undefined when there is none. */
function trailingId(text: string, node: MarkdownNode): Span | undefined {
  let end = node.kind === 'heading' ? node.contentEnd : node.end;
  while (end > node.start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  let start = end;
  while (start > node.start && isIdCharacter(text.charCodeAt(start - 1))) start -= 1;
  if (start === end || start === node.start || text[start - 1] !== '^') return undefined;
  start -= 1;
  return start === node.start || isBlank(text.charCodeAt(start - 1)) ? { start, end } : undefined;
}

/**
 * The span of the block that an id at the end of a line addresses; undefined inside a quote, where no link
 * leads.
 */
function ownedBlock(text: string, node: MarkdownNode, idSpan: Span): Span | undefined {
  const quote = outermostQuote(node);
  if (quote !== undefined) {
    // Only an id at the very end of a quote addresses a block: the quote.
    return node.end === quote.end ? { start: quote.start, end: trimmedEnd(text, idSpan.start) } : undefined;
  }
  const item = node.parent;
  if (item?.kind !== 'listItem') return { start: node.start, end: trimmedEnd(text, idSpan.start) };
  const end = item.end > node.end ? item.end : trimmedEnd(text, idSpan.start);
  return { start: item.start, end };
}

function outermostQuote(node: MarkdownNode): MarkdownNode | undefined {
  let quote: MarkdownNode | undefined;
  for (let at = node.parent; at !== undefined; at = at.parent) if (at.kind === 'blockquote') quote = at;
  return quote;
}

function trimmedEnd(text: string, end: number): number {
  let at = end;
  while (at > 0 && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function isIdCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2d
  );
}
