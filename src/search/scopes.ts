import type { ScopeName } from './query/ast.ts';

/** A stretch of a note's text, `[start, end)`. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\]\r\n]{1,2})\](?:[ \t]|$)/;
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/**
 * The lines, blocks, sections or tasks of a text, in order, lazily, in linear time.
 * A block is a paragraph, a list item with its nested lines, a heading, a table, a quote or a fenced
 * code block. A section runs from a heading to the next heading of any level. A task is one line.
 */
export function* segments(text: string, scope: ScopeName): Generator<Segment> {
  switch (scope) {
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
      yield* tasks(text, scope);
  }
}

/** Without the line ends. */
export function* lines(text: string): Generator<Segment> {
  let start = 0;
  while (start <= text.length) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed;
    const end = next > start && text.charCodeAt(next - 1) === 13 ? next - 1 : next;
    yield { start, end };
    start = next + 1;
  }
}

interface Line extends Segment {
  readonly source: string;
  /** Inside a fenced code block or the front matter, its fences included. */
  readonly opaque: boolean;
}

function* readLines(text: string): Generator<Line> {
  let fence = '';
  let frontMatter = /^\ufeff?---[ \t]*\r?\n/.test(text) && /\n---[ \t]*(?:\r?\n|$)/.test(text);
  let first = true;
  for (const { start, end } of lines(text)) {
    const source = text.slice(start, end);
    let opaque = fence !== '' || frontMatter;
    if (frontMatter) {
      if (!first && /^---[ \t]*$/.test(source)) frontMatter = false;
    } else {
      const marker = FENCE.exec(source)?.[1];
      if (marker !== undefined && fence === '') {
        fence = marker;
        opaque = true;
      } else if (marker?.startsWith(fence) && source.trim() === marker) fence = '';
    }
    first = false;
    yield { start, end, source, opaque };
  }
}

function* blocks(text: string): Generator<Segment> {
  let open: { start: number; end: number; indent: number; opaque: boolean } | undefined;
  for (const line of readLines(text)) {
    const blank = line.source.trim() === '';
    const item = !line.opaque && LIST_ITEM.test(line.source);
    const heading = !line.opaque && HEADING.test(line.source);
    const indent = line.source.length - line.source.trimStart().length;
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
      else open = { start: line.start, end: line.end, indent: item ? indent : -1, opaque: line.opaque };
    }
  }
  if (open) yield { start: open.start, end: open.end };
}

function* sections(text: string): Generator<Segment> {
  let start = 0;
  for (const line of readLines(text)) {
    if (line.opaque || line.start === start || !HEADING.test(line.source)) continue;
    yield { start, end: line.start };
    start = line.start;
  }
  yield { start, end: text.length };
}

function* tasks(text: string, scope: ScopeName): Generator<Segment> {
  for (const line of readLines(text)) {
    const match = line.opaque ? null : TASK.exec(line.source);
    const status = match?.[1];
    if (!match || status === undefined || [...status].length !== 1) continue;
    const todo = status === ' ';
    if ((scope === 'task-todo' && !todo) || (scope === 'task-done' && todo)) continue;
    yield { start: line.start + match[0].length, end: line.end };
  }
}
