import { DIALECT_RULES } from '../dialects/rules.ts';
import type { MarkdownNode } from '../markdown.ts';
import type { Dialect, Span } from '../model.ts';
import { mergeSpans } from '../spans.ts';
import type { InlineContext } from './inline.ts';

function opaqueSpans(nodes: readonly MarkdownNode[]): readonly Span[] {
  // New span objects, as a node would keep the whole structure in memory with the parsed note.
  return mergeSpans(nodes.filter(isOpaque).map(({ start, end }) => ({ start, end })));
}

function isOpaque(node: MarkdownNode): boolean {
  switch (node.kind) {
    case 'code':
    case 'inlineCode':
    case 'math':
    case 'inlineMath':
    case 'html':
      return true;
    default:
      return false;
  }
}

/**
 * Converts the parser's results to the spans that the inline scanner needs.
 *
 * @param hidden comments and math over several lines, which were hidden from the parser
 */
export function structureSpans(
  text: string,
  nodes: readonly MarkdownNode[],
  hidden: readonly Span[],
  dialect: Dialect,
): Omit<InlineContext, 'text' | 'lines'> {
  const runs: Span[] = [];
  const links: Span[] = [];
  const destinations: Span[] = [];
  for (const node of nodes) {
    switch (node.kind) {
      case 'paragraph':
      case 'tableCell':
        runs.push(node);
        break;
      case 'heading':
        runs.push({ start: node.contentStart, end: node.contentEnd });
        break;
      case 'link':
        links.push(node);
        // Logseq's `[text]([[Page]])` is a page link, which the scanner must find.
        if (!DIALECT_RULES[dialect].pageInDestination || !text.startsWith('([[', node.contentEnd + 1)) {
          destinations.push({ start: node.contentEnd, end: node.end });
        }
        break;
      case 'image':
        links.push(node);
        // `![[x]](y)` is an embed followed by text, not an image described by `[x]`.
        if (!text.startsWith('![[', node.start)) destinations.push(node);
        break;
      case 'linkReference':
      case 'imageReference':
        links.push(node);
        break;
      default:
    }
  }
  return {
    runs,
    opaque: mergeSpans([...opaqueSpans(nodes), ...hidden].sort(byStart)),
    destinations: mergeSpans(destinations),
    links: mergeSpans(links),
  };
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}
