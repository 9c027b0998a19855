import type { MarkdownNode } from '../markdown.ts';

const INDENTED_BULLET = /^ *\t[ \t]*-(?:[ \t]|$)/;

/**
 * In Logseq everything is a bullet outline, and a page may start with a block without a bullet (`## Title`,
 * then `\t- child`). Markdown parses such children as indented code.
 * @returns the text with one tab of each such line replaced by a space, of the same length and nesting, to be
 *   parsed again; undefined when there is none
 */
export function outdentChildren(text: string, nodes: readonly MarkdownNode[]): string | undefined {
  let result = '';
  let at = 0;
  for (const node of nodes) {
    if (node.kind !== 'code' || node.parent?.kind !== 'root') continue;
    const start = lineStart(text, node.start);
    if (!INDENTED_BULLET.test(text.slice(start, node.end))) continue;
    result += text.slice(at, start) + text.slice(start, node.end).replace(/^( *)\t/gm, '$1 ');
    at = node.end;
  }
  return at === 0 ? undefined : result + text.slice(at);
}

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1;
  return start;
}
