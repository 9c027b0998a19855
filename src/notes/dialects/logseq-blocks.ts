import type { MarkdownNode } from '../markdown.ts';
import type { Block, Frontmatter, Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';

const ID_LINE = /(?:^|\n)[ \t]*(?:- )?(id:: ([0-9a-zA-Z-]+))(?=[ \t]*(?:[\r\n]|$))/g;

/** Blocks with an `id:: uuid` line: the surrounding list item, or the page when the line is a page property. */
export function readLogseqBlocks(
  text: string,
  nodes: readonly MarkdownNode[],
  frontmatter: Frontmatter | undefined,
  opaque: readonly Span[],
  lines: LineIndex,
): Block[] {
  const blocks: Block[] = [];
  const items = nodes.filter((node) => node.kind === 'listItem');
  /** Items that started before the current line and may contain it, outermost first. */
  const open: MarkdownNode[] = [];
  let next = 0;
  for (const match of text.matchAll(ID_LINE)) {
    const [whole, marker = '', id = ''] = match;
    const start = match.index + whole.length - marker.length;
    if (spanAt(opaque, start) !== undefined) continue;
    for (let item = items[next]; item !== undefined && item.start <= start; item = items[next]) {
      open.push(item);
      next += 1;
    }
    while ((open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= start) open.pop();
    const inPage = frontmatter !== undefined && start < frontmatter.span.end;
    const owner = inPage ? frontmatter.span : open.at(-1);
    if (owner === undefined) continue;
    blocks.push({
      id,
      span: { start: owner.start, end: owner.end },
      idSpan: { start, end: start + marker.length },
      placement: 'inline',
      line: lines.lineAt(owner.start),
    });
  }
  return blocks;
}
