import type { MarkdownNode } from '../markdown.ts';
import type { Frontmatter, Link } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';
import { cleanSubpath } from './wiki.ts';

/**
 * Joplin's links by id: `[text](:/` and 32 hexadecimal digits `)`, likewise images, and `src` and `href` in
 * HTML. They lead to the file with that id at any path, so a move need not rewrite them.
 */
const ID_LINK = /^:\/([0-9a-f]{32})$/i;
const ID = /^[0-9a-f]{32}$/i;
const IN_HTML = /\b(src|href)[ \t\r\n]*=[ \t\r\n]*(["'])(:\/[0-9a-f]{32})(#[^"'<>]*)?\2/gi;

/** The id in a link's target, in lower case; undefined for a link by name. */
export function linkedId(target: string, syntax: Link['syntax'] | 'canvas'): string | undefined {
  if (syntax !== 'markdown' && syntax !== 'reference') return undefined;
  return ID_LINK.exec(target)?.[1]?.toLowerCase();
}

/** A store's id, if it has the format of ids in links. */
export function asLinkedId(id: string | undefined): string | undefined {
  return id !== undefined && ID.test(id) ? id.toLowerCase() : undefined;
}

/** The id a note declares, as in Joplin's "Markdown + Front Matter": `id:`, as written. */
export function statedId(frontmatter: Frontmatter | undefined, text: string): string | undefined {
  const property = frontmatter?.properties.find(({ key }) => key.toLowerCase() === 'id');
  if (property === undefined) return undefined;
  // The text of it: some ids are numbers for YAML.
  const written = text.slice(property.valueSpan.start, property.valueSpan.end).trim();
  return asLinkedId(written.replace(/^(["'])(.*)\1$/, '$2'));
}

/** Links by id in a note's HTML; other addresses in HTML are not links of the note. */
export function htmlIdLinks(text: string, nodes: readonly MarkdownNode[], lines: LineIndex): Link[] {
  return text.includes(':/') ? htmlLinks(text, nodes, lines, IN_HTML) : [];
}

/**
 * Addresses in the HTML of a note, as links.
 * @param pattern groups: the attribute, its quote, the path, and perhaps a subpath with its `#`
 */
export function htmlLinks(
  text: string,
  nodes: readonly MarkdownNode[],
  lines: LineIndex,
  pattern: RegExp,
): Link[] {
  const links: Link[] = [];
  const comments: { start: number; end: number }[] = [];
  for (const node of nodes) {
    if (node.kind !== 'html') continue;
    const html = text.slice(node.start, node.end);
    comments.length = 0;
    for (const { index, 0: comment } of html.matchAll(/<!--[\s\S]*?(?:-->|$)/g))
      comments.push({ start: index, end: index + comment.length });
    for (const found of html.matchAll(pattern)) {
      if (spanAt(comments, found.index) !== undefined) continue;
      const [whole, name = '', , target = '', subpath = ''] = found;
      const start = node.start + found.index;
      const end = start + whole.length;
      const subpathStart = end - 1 - subpath.length;
      links.push({
        syntax: 'markdown',
        embed: name.toLowerCase() === 'src',
        property: undefined,
        target,
        subpath: cleanSubpath(subpath),
        display: undefined,
        span: { start, end },
        targetSpan: { start: subpathStart - target.length, end: subpathStart },
        subpathSpan: { start: subpathStart, end: end - 1 },
        displaySpan: undefined,
        angle: false,
        line: lines.lineAt(start),
      });
    }
  }
  return links;
}
