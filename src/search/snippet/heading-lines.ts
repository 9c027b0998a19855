import { parseNote } from '../../notes/parse.ts';
import { workOf } from '../../notes/work.ts';

/** A heading as a note's text has it, `# one` or underlined. */
export interface HeadingLine {
  /** Offset of its first line. */
  readonly start: number;
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
}

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** What begins a line that no underline makes a heading: list items, quotes, rules, HTML, code. */
const NO_TITLE = /^(?: {4}|\t| {0,3}(?:[-*+><=]|\d{1,9}[.)][ \t]))/;
/** Characters of a heading that are kept; a line may be a megabyte long. */
const LONGEST = 1000;
/** A note that takes longer is not parsed for its comments while a search goes on: length, and work as `workOf` has it. */
const MAX_PARSED = 100_000;
const MAX_WORK = 300_000;
/** What hides the lines between its two halves, the opening one at the start of a line. */
const HIDING = [
  { open: '%%', close: '%%', unclosed: 'is text' },
  { open: '$$', close: '$$', unclosed: 'is text' },
  { open: '<!--', close: '-->', unclosed: 'hides' },
] as const;

const [HASH, DOLLAR, PERCENT, DASH, LESS, EQUALS, BACKTICK, TILDE] = [
  35, 36, 37, 45, 60, 61, 96, 126,
] as const;
const BLANK = 0;
const HIDDEN = -1;

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?:\r?\n|$)/;

/** Offset of the first character below the front matter and the byte order mark. */
export function frontMatterEnd(text: string): number {
  const mark = text.startsWith('\ufeff') ? 1 : 0;
  return text.startsWith('---', mark) ? (FRONT_MATTER.exec(text)?.[0].length ?? mark) : mark;
}

/** True for a text whose comments only the parser tells apart, and that is short enough for it. */
export function isCommented(text: string, from: number): boolean {
  return text.length <= MAX_PARSED && text.includes('%%', from) && workOf(text, MAX_WORK) < MAX_WORK;
}

/**
 * The headings of a text, in order, lazily, in linear time, as the outline has them: none in fenced code, math,
 * comments of either kind; underlined ones of a single line. Cheaper than parsing the note, which a page of hits
 * cannot wait for; a note is parsed only for headings behind a comment that does not plainly end in its line.
 * @param from where to begin, at the start of a line: below the front matter
 * @param last the last offset at which a heading is of interest
 */
export function* headingLines(text: string, from: number, last = text.length): Generator<HeadingLine> {
  const unclear = isCommented(text, from) ? unclearComment(text, from, last) : undefined;
  if (unclear === undefined) {
    yield* plainHeadings(text, from, last);
    return;
  }
  yield* plainHeadings(text, from, unclear - 1);
  yield* parsedHeadings(text, unclear, last);
}

/** In a line with one of these the marks may be code, math, HTML or escaped. */
const UNCLEAR = /[`$<\\]|%%%/;

/**
 * Where the first line begins whose comment marks the parser has to judge; undefined when there is none up to `last`.
 * Most comments open and close in one line of text and hide nothing but a part of that.
 */
function unclearComment(text: string, from: number, last: number): number | undefined {
  for (let at = text.indexOf('%%', from); at !== -1; ) {
    const start = text.lastIndexOf('\n', at) + 1;
    if (start > last) return undefined;
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    const isPair = text.slice(at, end).split('%%').length === 3 && !UNCLEAR.test(text.slice(start, end));
    const isHeading = firstMark(text, start, end) === HASH || (feed >= 0 && isUnderlined(text, start, feed));
    if (!isPair || isHeading) return Math.max(start, from);
    at = text.indexOf('%%', end);
  }
  return undefined;
}

function* plainHeadings(text: string, from: number, last: number): Generator<HeadingLine> {
  let fence = '';
  let hiddenUntil = from;
  let afterBreak = true;
  let feed = -1;
  for (let start = from; start <= last && start < text.length; start = feed + 1) {
    feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const mark = start < hiddenUntil ? HIDDEN : firstMark(text, start, end);
    if (mark === BACKTICK || mark === TILDE) {
      fence = fenceAfter(fence, lineOf(text, start, end));
      afterBreak = true;
    } else if (fence !== '' || mark === BLANK) {
      afterBreak = true;
    } else if (mark === HASH) {
      const [, marks, title = ''] = ATX.exec(lineOf(text, start, end)) ?? [];
      if (marks !== undefined)
        yield { start, level: marks.length, text: title.replace(/(?:^|[ \t]+)#+[ \t]*$/, '').trim() };
      afterBreak = marks !== undefined;
    } else if (afterBreak && feed >= 0 && mark !== HIDDEN && isUnderlined(text, start, feed)) {
      const level = firstMark(text, feed + 1, text.length) === EQUALS ? 1 : 2;
      yield { start, level, text: lineOf(text, start, end).trim() };
      afterBreak = false;
    } else {
      if (mark === PERCENT || mark === DOLLAR || mark === LESS)
        hiddenUntil = hiddenBy(text, start, end) ?? hiddenUntil;
      afterBreak = false;
    }
    if (feed < 0) return;
  }
}

function* parsedHeadings(text: string, from: number, last: number): Generator<HeadingLine> {
  for (const { span, level, text: own } of parseNote(text, { dialect: 'obsidian' }).headings) {
    const start = span.start === 0 ? 0 : text.lastIndexOf('\n', span.start - 1) + 1;
    if (start > last) return;
    if (start >= from) yield { start, level, text: own.replace(/\s+/g, ' ') };
  }
}

/** Code of the first character that is no white space, {@link BLANK} when there is none. */
function firstMark(text: string, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 32) return code;
  }
  return BLANK;
}

function lineOf(text: string, start: number, end: number): string {
  return text.slice(start, Math.min(end, start + LONGEST)).trimEnd();
}

function fenceAfter(fence: string, line: string): string {
  const marker = FENCE.exec(line)?.[1];
  if (marker === undefined || fence === '') return marker ?? fence;
  return marker.startsWith(fence) && line.trim() === marker ? '' : fence;
}

function isUnderlined(text: string, start: number, feed: number): boolean {
  const next = firstMark(text, feed + 1, Math.min(text.length, feed + 5));
  if (next !== EQUALS && next !== DASH) return false;
  const end = text.indexOf('\n', feed + 1);
  const below = lineOf(text, feed + 1, end < 0 ? text.length : end);
  return UNDERLINE.test(below) && !NO_TITLE.test(text.slice(start, Math.min(feed, start + 16)));
}

/** Where what opens on this line ends on a later one; undefined when nothing does. */
function hiddenBy(text: string, start: number, end: number): number | undefined {
  const line = text.slice(start, Math.min(end, start + LONGEST)).trimStart();
  const hiding = HIDING.find(({ open }) => line.startsWith(open));
  if (hiding === undefined) return undefined;
  const closed = text.indexOf(hiding.close, text.indexOf(hiding.open, start) + hiding.open.length);
  if (closed < 0) return hiding.unclosed === 'hides' ? text.length : undefined;
  return closed < end ? undefined : closed + hiding.close.length;
}
