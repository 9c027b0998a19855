import type { MarkdownNode } from '../markdown.ts';
import type { Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import { linePrefix } from './line-prefix.ts';

/**
 * `$$…$$` over several lines, as note programs accept it. Markdown parsers know only fences on separate lines
 * and read `$$a` + `b$$`, or a `$$` at the end of a line of text, as the start of math that includes the rest
 * of the note.
 */
export interface DisplayMath {
  /** From the opening to the closing mark, sorted and disjoint. */
  readonly spans: readonly Span[];
  /** Marks without a partner: plain text. */
  readonly unpaired: readonly Span[];
}

const MARKS = /\$+/g;
const BLANK_LINE = /\n[ \t>]*\r?\n|\r[ \t>]*\r/;

/** Whether a line contains a mark without a partner on the same line. */
export function hasOpenMath(text: string, from: number): boolean {
  if (!text.includes('$$', from)) return false;
  return text
    .slice(from)
    .split(/[\r\n]/)
    .some((line) => (line.match(MARKS)?.filter((run) => run.length === 2).length ?? 0) % 2 === 1);
}

/**
 * Pairs the marks from left to right. A mark at the start of its line opens math up to the next mark, blank
 * lines included; a mark at the end of a line of text opens math up to a mark at the start of a line of the
 * same paragraph; any other mark pairs within its paragraph.
 *
 * @param nodes of `text`, parsed without math
 * @returns only math over several lines; the parser finds pairs on one line
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

/**
 * The text, of the same length, with each span replaced by a filler that the parser reads as one opaque node.
 */
export function hideMath(text: string, { spans, unpaired }: DisplayMath): string {
  let result = '';
  let at = 0;
  for (const span of [...spans, ...unpaired].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, span.start) + filler(text, span);
    at = span.end;
  }
  return result + text.slice(at);
}

/**
 * The filler of math: an HTML comment for math on separate lines, one long word for math within a line of text.
 */
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

/** The end of math from one mark to the next; undefined when the two are no pair. */
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

/** Whether only markers of quotes and list items precede the offset on its line. */
function opensLine(text: string, offset: number): boolean {
  return linePrefix(text, offset) !== undefined;
}

/**
 * Whether a text from `start` leaves its quote: a line without the quote's marker ends the quote and its
 * content.
 */
function leavesQuote(text: string, start: number, between: string): boolean {
  if (!linePrefix(text, start)?.includes('>')) return false;
  const [, ...lines] = between.split(/\r\n?|\n/);
  return !lines.every((line) => /^[ \t]*>/.test(line));
}
