import { mathRule } from '../dialects/math-rule.ts';
import { wikiRule } from '../dialects/wiki-rule.ts';
import type { MarkdownNode } from '../markdown.ts';
import type { Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import { type InlineContext, type InlineRule, InlineScan } from './inline.ts';
import { linePrefix } from './line-prefix.ts';

/**
 * Obsidian's comments, from `%%` to `%%`. A note is read from left to right, and the construct that begins
 * first takes precedence: a mark in code, HTML, math or a link's brackets, or after a backslash, is text.
 *
 * - A mark that starts its line (after the markers of quotes and list items) and is the only one on it begins a
 *   block comment. It ends at the next mark on a later line, in the same quote, list item or footnote; the rest
 *   of that line is text.
 * - Any other mark begins an inline comment, which ends at the next mark in the same paragraph, heading or
 *   table cell, possibly on a later line.
 * - Inside a comment only the next mark has a meaning: half a code fence in it is no fence.
 * - A mark without a partner is text.
 */
export interface Comment extends Span {
  readonly block: boolean;
}

/** A text without its comments, of the same length. */
export interface Uncommented {
  readonly source: string;
  /** The nodes of `source`. */
  readonly nodes: readonly MarkdownNode[];
  /** Sorted, disjoint. */
  readonly comments: readonly Comment[];
}

/** The context of a scan for comments. */
export interface CommentContext extends InlineContext {
  readonly nodes: readonly MarkdownNode[];
}

const MARK = '%%';
/**
 * Most UTF-16 code units that are parsed again for the comments of a note, and the least and most passes, which
 * take precedence.
 */
const MAX_PARSED = 1_000_000;
const MIN_PASSES = 4;
const MAX_PASSES = 50;
/** Characters that may pair with others outside an inline comment. */
const PAIRED = /[`<$\\[\]]/;
/** A text that begins a new block regardless of what is above it: the end, a blank line or a heading. */
const ENDS_ALONE = /[ \t]*(?:$|(?:\r\n?|\n)(?:[ \t]*(?:[\r\n]|$)|#{1,6}[ \t]))/y;
const ENDS_LINE = /[ \t]*(?:$|[\r\n])/y;

/**
 * Finds the comments and hides them from the parser. A comment can hide half of a fence, so the text after one
 * is parsed again unless its structure certainly stays the same.
 *
 * @param parse parses a text in which the comments found so far are hidden
 */
export function readComments(
  text: string,
  nodes: readonly MarkdownNode[],
  parse: (source: string) => readonly MarkdownNode[],
  contextOf: (source: string, nodes: readonly MarkdownNode[], comments: readonly Comment[]) => InlineContext,
): Uncommented {
  const passes = Math.min(MAX_PASSES, Math.max(MIN_PASSES, Math.floor(MAX_PARSED / text.length)));
  let result: Uncommented = { source: text, nodes, comments: [] };
  for (let pass = 1; ; pass += 1) {
    const context = { ...contextOf(result.source, result.nodes, result.comments), nodes: result.nodes };
    const found = commentsIn(context);
    if (found.length === 0) return result;
    const unsure = pass < passes ? found.findIndex((one) => !readsTheSame(text, one, result.nodes)) : -1;
    const sure = unsure < 0 ? found : found.slice(0, unsure + 1);
    const comments = [...result.comments, ...sure].sort((a, b) => a.start - b.start);
    if (unsure < 0 && sure.every(({ block }) => !block)) return { ...result, comments };
    const source = hideComments(text, comments);
    result = { source, nodes: parse(source), comments };
    if (unsure < 0) return result;
  }
}

/** The comments in the runs of a text, correct as far as its nodes are. */
function commentsIn(context: CommentContext): readonly Comment[] {
  const found: Comment[] = [];
  const ends = containerEnds(context.nodes);
  const rule: InlineRule = (scan, at) => {
    const { text } = scan;
    if (text[at + 1] !== '%') return at + 1;
    const close = text.indexOf(MARK, at + 2);
    if (close < 0 || scan.inDestination(at)) return at + 2;
    const block = linePrefix(text, at) !== undefined && /[\r\n]/.test(text.slice(at, close));
    const limit = block ? (ends.get(scan.start) ?? text.length) : scan.end;
    const end = close + MARK.length;
    if (end > limit) return at + 2;
    found.push({ start: at, end, block });
    return end;
  };
  new InlineScan(context).run({ rules: { '[': wikiRule('obsidian'), $: mathRule, '%': rule } });
  return found;
}

/** Start of a run → end of the innermost quote, list item or footnote around it. */
function containerEnds(nodes: readonly MarkdownNode[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const node of nodes) {
    if (node.kind !== 'paragraph' && node.kind !== 'tableCell' && node.kind !== 'heading') continue;
    let parent = node.parent;
    while (parent !== undefined && !isContainer(parent)) parent = parent.parent;
    if (parent !== undefined) ends.set(node.kind === 'heading' ? node.contentStart : node.start, parent.end);
  }
  return ends;
}

function isContainer({ kind }: MarkdownNode): boolean {
  return kind === 'blockquote' || kind === 'listItem' || kind === 'footnoteDefinition';
}

/** Whether hiding a comment certainly does not change the structure of the text after it. */
function readsTheSame(text: string, { start, end, block }: Comment, nodes: readonly MarkdownNode[]): boolean {
  const content = text.slice(start, end);
  if (!block) return !PAIRED.test(content);
  if (content.includes('$$') || !matchesAt(ENDS_ALONE, text, end)) return false;
  let at = firstFrom(nodes, start);
  for (let around = nodes[at - 1]; around !== undefined; around = around.parent) {
    if (around.end <= start || isContainer(around) || around.kind === 'root' || around.kind === 'list')
      continue;
    // A block that the comment ends early: lists and quotes around it would end with it.
    if (around.kind !== 'paragraph' || around.parent?.kind !== 'root' || around.end > end) return false;
  }
  for (let node = nodes[at]; node !== undefined && node.start < end; node = nodes[++at]) {
    if (node.end > end) return false;
  }
  return true;
}

/** Index of the first node that starts at or after the offset. */
function firstFrom(nodes: readonly MarkdownNode[], offset: number): number {
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((nodes[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The text, of the same length, with the comments replaced by fillers. An inline comment becomes one long word
 * in its paragraph. A block comment becomes an empty heading and blank lines, as it ends the same constructs as
 * any block; text after it does not begin a line.
 */
export function hideComments(text: string, comments: readonly Comment[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, block } of comments) {
    result += text.slice(at, start);
    const lines = text.slice(start, end).split(/(\r\n?|\n)/);
    result += block ? blockFiller(text, start, end, lines) : inlineFiller(lines);
    at = end;
  }
  return result + text.slice(at);
}

/** The filler of an inline comment. @param lines its lines, with the line endings between them */
function inlineFiller(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      const prefix = index === 0 ? '' : (/^[ \t>]*/.exec(line)?.[0] ?? '');
      return index % 2 === 1 ? line : prefix + 'x'.repeat(line.length - prefix.length);
    })
    .join('');
}

function blockFiller(text: string, start: number, end: number, lines: readonly string[]): string {
  const opening = linePrefix(text, start) ?? '';
  const marks = opening.includes('>') ? /^[ \t>]*/ : /^[ \t]*/;
  const followed = !matchesAt(ENDS_LINE, text, end);
  return lines
    .map((line, index) => {
      if (index % 2 === 1) return line;
      if (index === 0) return `##${' '.repeat(line.length - 2)}`;
      const prefix = (marks.exec(line)?.[0] ?? '').slice(0, opening.length);
      const filler = index === lines.length - 1 && followed ? 'x' : ' ';
      return prefix + filler.repeat(line.length - prefix.length);
    })
    .join('');
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Whether a node is the filler of a hidden block comment. */
export function isFiller(node: MarkdownNode, hidden: readonly Span[]): boolean {
  return node.kind === 'heading' && node.end <= (spanAt(hidden, node.start)?.end ?? 0);
}
