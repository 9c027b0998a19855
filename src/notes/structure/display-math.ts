import type { MarkdownNode } from '../markdown.ts';
import type { Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import { linePrefix } from './line-prefix.ts';

/**
 * `$$…$$` over several lines, as note programs write it. Markdown parsers know only fences that stand
 * alone on their lines and take `$$a` + `b$$`, or a `$$` at the end of a line of text, for the start of
 * math that swallows the rest of the note.
 */
export interface DisplayMath {
  /** From the opening to the closing mark, sorted and disjoint. */
  readonly spans: readonly Span[];
  /** Marks without a partner: plain text. */
  readonly unpaired: readonly Span[];
}

const MARKS = /\$+/g;
const BLANK_LINE = /\n[ \t>]*\r?\n|\r[ \t>]*\r/;

/** True when some line holds a mark whose partner, if there is one, stands on another line. */
export function hasOpenMath(text: string, from: number): boolean {
  if (!text.includes('$$', from)) return false;
  return text
    .slice(from)
    .split(/[\r\n]/)
    .some((line) => (line.match(MARKS)?.filter((run) => run.length === 2).length ?? 0) % 2 === 1);
}

/**
 * Pairs the marks from left to right. A mark that starts its line opens math up to the next mark, blank
 * lines included; one that ends a line of text opens it up to a mark that starts a line of the same
 * paragraph; any other mark pairs within its paragraph.
 *
 * @param nodes of `text`, parsed without math
 * @returns only what reaches over a line's end; pairs on one line are the parser's
 */
export function displayMath(text: string, from: number, nodes: readonly MarkdownNode[]): DisplayMath {
  const code = nodes.filter(({ kind }) => kind === 'code' || kind === 'inlineCode' || kind === 'html');
  const paragraphs = nodes.filter(({ kind }) => kind === 'paragraph');
  const marks = marksIn(text, from, code);
  const spans: Span[] = [];
  const unpaired: Span[] = [];
  for (let at = 0; at < marks.length; at += 1) {
    const start = marks[at] ?? 0;
    const close = marks[at + 1];
    const end = close === undefined ? undefined : endOfMath(text, start, close, paragraphs);
    if (end === undefined) {
      unpaired.push({ start, end: start + 2 });
      continue;
    }
    if (/[\r\n]/.test(text.slice(start, end))) spans.push({ start, end });
    at += 1;
  }
  return { spans, unpaired };
}

/** The text, of the same length, in which the parser takes each span for one opaque thing. */
export function hideMath(text: string, { spans, unpaired }: DisplayMath): string {
  let result = '';
  let at = 0;
  for (const span of [...spans, ...unpaired].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, span.start) + filler(text, span);
    at = span.end;
  }
  return result + text.slice(at);
}

/** A comment stands alone as math on its own lines does; within a line of text one long word does. */
function filler(text: string, { start, end }: Span): string {
  const length = end - start;
  const alone =
    length >= 7 && opensLine(text, start) && /^[ \t]*(?:[\r\n]|$)/.test(text.slice(end, end + 200));
  return alone ? `<!--${'x'.repeat(length - 7)}-->` : 'x'.repeat(length);
}

function marksIn(text: string, from: number, code: readonly Span[]): readonly number[] {
  const marks: number[] = [];
  MARKS.lastIndex = from;
  for (let run = MARKS.exec(text); run !== null; run = MARKS.exec(text)) {
    if (run[0].length !== 2 || text[run.index - 1] === '\\') continue;
    if (spanAt(code, run.index) === undefined) marks.push(run.index);
  }
  return marks;
}

/** Where math from one mark to the next ends, or undefined when the two are no pair. */
function endOfMath(
  text: string,
  start: number,
  close: number,
  paragraphs: readonly Span[],
): number | undefined {
  const between = text.slice(start + 2, close);
  if (!/[\r\n]/.test(between)) return close + 2;
  if (opensLine(text, start)) return leavesQuote(text, start, between) ? undefined : close + 2;
  const paragraph = spanAt(paragraphs, start);
  if (paragraph === undefined) return undefined;
  if (close < paragraph.end) return close + 2;
  const display = /^[ \t]*[\r\n]/.test(between) && opensLine(text, close) && !BLANK_LINE.test(between);
  return display ? close + 2 : undefined;
}

/** True when only marks of quotes and list items stand before the offset on its line. */
function opensLine(text: string, offset: number): boolean {
  return linePrefix(text, offset) !== undefined;
}

/** A quote ends where a line without its mark begins, and with it what it holds. */
function leavesQuote(text: string, start: number, between: string): boolean {
  if (!linePrefix(text, start)?.includes('>')) return false;
  const [, ...lines] = between.split(/\r\n?|\n/);
  return !lines.every((line) => /^[ \t]*>/.test(line));
}
