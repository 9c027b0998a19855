import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import type { Dialect } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { isClosed, taskMarksAt } from '../../notes/structure/tasks.ts';
import type { SegmentKind } from '../query/ast.ts';
import { frontMatterEnd, headingLines, isCommented } from '../snippet/heading-lines.ts';

/** A stretch of a note's text, `[start, end)`. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** Backticks further on make it code inside the line. */
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
/** What a list item can begin with. */
export const LIST_MARKS = new Set('-*+0123456789');
/** A cheap sign that a text has a task with a box of one character at all. */
const ANY_BOX = /[-*+.)][ \t]+\[[^\]\r\n]{1,2}\]/;
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/**
 * The lines, blocks, sections or tasks of a text, in order, lazily, in linear time.
 * A block is a paragraph, a list item with its nested lines, a heading, a table, a quote or a fenced
 * code block. A section runs from a heading to the next heading of any level. A task is one line.
 */
export function* segments(
  text: string,
  kind: SegmentKind,
  dialect: Dialect = 'obsidian',
): Generator<Segment> {
  switch (kind) {
    case 'line':
      yield* lines(text);
      return;
    case 'block':
      yield* blocks(text);
      return;
    case 'section':
      yield* sections(text);
      return;
    default:
      yield* tasks(text, kind, dialect);
  }
}

/** Without the line ends. */
function* lines(text: string): Generator<Segment> {
  let start = 0;
  while (start <= text.length) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed;
    const end = next > start && text.charCodeAt(next - 1) === 13 ? next - 1 : next;
    yield { start, end };
    start = next + 1;
  }
}

export interface Line extends Segment {
  /** Inside a fenced code block or the front matter, its fences included. */
  readonly opaque: boolean;
  /** The line's first character behind white space and quote marks, '' on a blank line. */
  readonly mark: string;
}

/** With what is known of each line, lazily. */
export function* readLines(text: string): Generator<Line> {
  let fence = '';
  let frontMatter = /^\ufeff?---[ \t]*\r?\n/.test(text) && /\n---[ \t]*(?:\r?\n|$)/.test(text);
  for (const { start, end } of lines(text)) {
    let opaque = fence !== '' || frontMatter;
    const mark = firstMark(text, start, end);
    if (frontMatter) {
      if (start > 0 && mark === '-' && /^---[ \t]*$/.test(text.slice(start, end))) frontMatter = false;
    } else if (mark === '`' || mark === '~') {
      const source = text.slice(start, end);
      const marker = FENCE.exec(source)?.[1];
      if (marker !== undefined && fence === '') {
        fence = marker;
        opaque = true;
      } else if (marker?.startsWith(fence) && source.trim() === marker) fence = '';
    }
    yield { start, end, opaque, mark };
  }
}

function firstMark(text: string, start: number, end: number): string {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 9 && code !== 62) return text.charAt(at);
  }
  return '';
}

export function isHeading(text: string, line: Line): boolean {
  return !line.opaque && line.mark === '#' && HEADING.test(text.slice(line.start, line.end));
}

function isListItem(text: string, line: Line): boolean {
  return !line.opaque && LIST_MARKS.has(line.mark) && LIST_ITEM.test(text.slice(line.start, line.end));
}

function* blocks(text: string): Generator<Segment> {
  let open: { start: number; end: number; indent: number; opaque: boolean } | undefined;
  for (const line of readLines(text)) {
    const blank = line.mark === '' && text.slice(line.start, line.end).trim() === '';
    const item = isListItem(text, line);
    const heading = isHeading(text, line);
    const indent = item ? indentOf(text, line) : -1;
    const nested = open !== undefined && item && open.indent >= 0 && indent > open.indent;
    const ends =
      open !== undefined &&
      (open.opaque !== line.opaque || (!line.opaque && (blank || heading || (item && !nested))));
    if (open && ends) {
      yield { start: open.start, end: open.end };
      open = undefined;
    }
    if (heading) yield { start: line.start, end: line.end };
    else if (!blank || line.opaque) {
      if (open) open.end = line.end;
      else open = { start: line.start, end: line.end, indent, opaque: line.opaque };
    }
  }
  if (open) yield { start: open.start, end: open.end };
}

function indentOf(text: string, line: Segment): number {
  let at = line.start;
  while (at < line.end && /\s/.test(text.charAt(at))) at += 1;
  return at - line.start;
}

function* sections(text: string): Generator<Segment> {
  let start = 0;
  for (const heading of headingLines(text, frontMatterEnd(text))) {
    if (heading.start > start) yield { start, end: heading.start };
    start = heading.start;
  }
  yield { start, end: text.length };
}

function* tasks(text: string, kind: SegmentKind, dialect: Dialect): Generator<Segment> {
  for (const { status, start, end } of taskLines(text, dialect)) {
    const closed = isClosed(status, dialect);
    if ((kind === 'task-todo' && closed) || (kind === 'task-done' && !closed)) continue;
    yield { start, end };
  }
}

/** False for a text that has no task for sure. */
export function mayHaveTasks(text: string, dialect: Dialect): boolean {
  const { taskStates, taskWords } = DIALECT_RULES[dialect];
  return taskStates || taskWords.length > 0 || ANY_BOX.test(text);
}

function* taskLines(text: string, dialect: Dialect): Generator<Segment & { readonly status: string }> {
  const { percentComments } = DIALECT_RULES[dialect];
  if (!mayHaveTasks(text, dialect)) return;
  if (percentComments && isCommented(text, 0)) {
    for (const { status, text: own, span } of parseNote(text, { dialect }).tasks)
      yield { status, start: span.end - own.length, end: span.end };
    return;
  }
  for (const line of readLines(text)) {
    if (!LIST_MARKS.has(line.mark) || line.opaque) continue;
    const marker = text.indexOf(line.mark, line.start);
    const marks = taskMarksAt(text, marker, dialect);
    if (marks !== undefined) yield { status: marks.status, start: marks.textStart, end: line.end };
  }
}
