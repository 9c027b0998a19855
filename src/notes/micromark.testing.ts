import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';
import { parseMarkdown } from './markdown.ts';

/**
 * The parser is compared with micromark, the slow reference implementation: both must find the same nodes at
 * the same offsets.
 */
const COMPARED = new Set([
  'paragraph',
  'heading',
  'thematicBreak',
  'blockquote',
  'list',
  'listItem',
  'html',
  'code',
  'definition',
  'inlineCode',
  'link',
  'image',
  'linkReference',
  'imageReference',
  'footnoteDefinition',
  'footnoteReference',
  'table',
  'tableRow',
  'tableCell',
  'math',
  'inlineMath',
]);

/** micromark's result: one line per node with its offsets, sorted. */
export function reference(text: string): string[] {
  const tree = fromMarkdown(text, {
    extensions: [gfm(), math({ singleDollarTextMath: false })],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  });
  const found: string[] = [];
  const visit = (node: Nodes): void => {
    if (COMPARED.has(node.type)) {
      const url = node.type === 'link' || node.type === 'image' || node.type === 'definition' ? node.url : '';
      found.push(`${node.position?.start.offset}-${node.position?.end.offset} ${node.type} ${url}`);
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(tree);
  return found.sort();
}

/** Our parser's result in the same form. */
export function ours(text: string): string[] {
  return parseMarkdown(text, 0, 'obsidian')
    .filter(({ kind }) => COMPARED.has(kind))
    .map(({ start, end, kind, url }) => `${start}-${end} ${kind} ${url}`)
    .sort();
}
