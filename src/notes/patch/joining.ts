import { type MarkdownNode, parseMarkdown } from '../markdown.ts';
import type { Dialect, ParsedNote } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { Splice } from '../splice.ts';

/** A line that may belong to a quote, a list item, a footnote, a link's definition or a table. */
const CONTAINED_LINE = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[[^\]]+\]:)|\|/;
const CONTAINERS: ReadonlySet<string> = new Set(['listItem', 'blockquote', 'footnoteDefinition']);
const LINES_LOOKED_AT = 200;

/**
 * Whether inserted lines and their neighbours have unintentionally become one block. Markdown continues a list
 * item, quote, footnote or table with a line of text directly below it, and an HTML block with any line. Two
 * adjacent paragraphs are not such a case, nor are lines with the other side's markers. A `^id` on a separate
 * line also needs a blank line after it.
 *
 * @param after the result, parsed
 */
export function joins(after: ParsedNote, splices: readonly Splice[], dialect: Dialect): boolean {
  const [splice] = splices;
  if (splice === undefined || splices.length > 1) return false;
  const { text, bodyStart } = after;
  const end = splice.start + splice.insert.length;
  const lines = [lineAfter(text, splice.start, end), lineAfter(text, end, text.length)].filter(
    (line) => line !== undefined,
  );
  if (lines.some((line) => followsLoneId(after, line))) return true;
  const edges = lines.filter((line) => mayJoin(after, line));
  if (edges.length === 0) return false;
  const nodes = parseMarkdown(text.slice(bodyStart), bodyStart, dialect);
  return edges.some((line) => nodes.some((node) => takesIn(node, line, text)));
}

/** Whether a line of text is directly below a `^id` on a separate line. */
function followsLoneId({ text, blocks }: ParsedNote, line: number): boolean {
  if (/[\s]/.test(text[line] ?? '\n')) return false;
  return blocks.some(
    ({ placement, idSpan }) =>
      placement === 'own-line' &&
      idSpan.end < line &&
      /^[ \t]*(?:\r\n?|\n)$/.test(text.slice(idSpan.end, line)),
  );
}

/** The first line that starts at or after `from` and before `to`. */
function lineAfter(text: string, from: number, to: number): number | undefined {
  let at = from;
  if (at > 0 && !isBreak(text[at - 1])) {
    while (at < to && !isBreak(text[at])) at += 1;
  }
  while (at < to && isBreak(text[at]) && !isBreak(text[at - 1])) at += text.startsWith('\r\n', at) ? 2 : 1;
  return at < to ? at : undefined;
}

/**
 * A fast test that is false for most lines: blank lines, lines below a blank one, and lines that are not plain
 * text.
 */
function mayJoin({ text, bodyStart, opaque }: ParsedNote, line: number): boolean {
  const hidden = spanAt(opaque, line);
  if (hidden !== undefined) return hidden.start < line && text[hidden.start] === '<' && text[line] !== '<';
  if (line <= bodyStart || /[\s>|]/.test(text[line] ?? '\n')) return false;
  let end = line;
  for (let count = 0; count < LINES_LOOKED_AT && end > bodyStart; count += 1) {
    const start = lineStart(text, end - 1);
    const content = text.slice(start, end).trimEnd();
    if (content === '') return false;
    if (CONTAINED_LINE.test(content)) return true;
    end = start;
  }
  return false;
}

/** Whether a node that starts above the line contains it, and is of a kind that includes following lines. */
function takesIn(node: MarkdownNode, line: number, text: string): boolean {
  if (node.start >= line || node.end <= line) return false;
  if (node.kind === 'table') return !/^[^\r\n]*\|/.test(text.slice(line, node.end));
  if (node.kind === 'paragraph') return node.parent !== undefined && CONTAINERS.has(node.parent.kind);
  return node.kind === 'html' || node.kind === 'definition';
}

function lineStart(text: string, offset: number): number {
  let at = offset;
  if (text[at] === '\n' && text[at - 1] === '\r') at -= 1;
  while (at > 0 && !isBreak(text[at - 1])) at -= 1;
  return at;
}

function isBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r';
}
