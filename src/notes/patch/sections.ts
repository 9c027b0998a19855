import type { Heading } from '../model.ts';
import type { Splice } from '../splice.ts';
import { headingKey } from '../structure/heading-key.ts';
import { lineStart, sectionBody } from '../structure/section-body.ts';
import type { Eol } from '../text.ts';
import { contained, type Edit, exactly, type NoteInEdit } from './edit.ts';
import { headingAt } from './heading-address.ts';
import { insertLines } from './insertion.ts';
import {
  blankLineBefore,
  inserted,
  replaceLines,
  startsLine,
  withoutBlankEdges,
  withoutBlankEnd,
} from './lines.ts';
import type { CheckedOp } from './op.ts';

/**
 * Inserts lines before a heading, followed by a blank line if one precedes the heading.
 *
 * @throws LecternError `not_found`, `ambiguous`
 */
export function insertBeforeHeading(note: NoteInEdit, op: CheckedOp<'insert_before_heading'>): Edit {
  const heading = headingAt(note, op.heading, op.occurrence);
  const at = lineStart(note.text, heading.span.start);
  const lines = inserted(withoutBlankEdges(op.markdown), note.eol);
  return insertLines(note.text, at, lines, note.eol, { blankAfter: blankLineBefore(note.text, at) });
}

/**
 * Inserts lines at the top of a section, below the blank lines under its heading. A blank line separates them
 * from the old text if one separates that from the heading, except that a list item before a list joins it.
 *
 * @throws LecternError `not_found`, `ambiguous`
 */
export function insertAfterHeading(note: NoteInEdit, op: CheckedOp<'insert_after_heading'>): Edit {
  const { text, eol } = note;
  const heading = headingAt(note, op.heading, op.occurrence);
  const lines = inserted(withoutBlankEdges(op.markdown), eol);
  const { span, region } = sectionBody(note.parsed, heading, { keepSubsections: true });
  if (span.start === span.end) return fillEmpty(text, region.start, region.end, lines, eol);
  const joinsList = isListItem(lastLine(lines)) && isListItem(text.slice(span.start, span.end));
  const blankAfter = blankLineBefore(text, span.start) && !joinsList;
  return insertLines(text, span.start, lines, eol, { blankAfter });
}

/**
 * Replaces the content of a section. Blank lines around it stay. The heading is removed if the new text repeats
 * it at its start. An empty text empties the section and leaves one run of blank lines.
 *
 * @throws LecternError `not_found`, `ambiguous`
 */
export function replaceSection(note: NoteInEdit, op: CheckedOp<'replace_section'>): Edit {
  const { text, eol } = note;
  const heading = headingAt(note, op.heading, op.occurrence);
  const lines = inserted(withoutHeading(withoutBlankEdges(op.markdown), heading), eol);
  const { span, region } = sectionBody(note.parsed, heading, {
    keepSubsections: op.keep_subsections ?? false,
  });
  if (span.start === span.end) return fillEmpty(text, region.start, region.end, lines, eol);
  if (lines === '') return exactly([emptied(text, heading.span.end, region, span)]);
  const plain = replaceLines(text, span, lines, eol);
  if (plain.length === 0) return exactly([]);
  const parted = (front: string, behind: string): readonly Splice[] => [
    { start: span.start, end: span.end, insert: front + lines + behind },
  ];
  return contained([plain, parted('', eol), parted(eol, ''), parted(eol, eol)]);
}

/**
 * Adds lines below the last line of a section; blank lines at the section's end stay after them.
 *
 * @throws LecternError `not_found`, `ambiguous`
 */
export function appendToSection(note: NoteInEdit, op: CheckedOp<'append_to_section'>): Edit {
  const { text, eol } = note;
  const heading = headingAt(note, op.heading, op.occurrence);
  const lines = inserted(withoutBlankEnd(op.markdown), eol);
  const { span, region } = sectionBody(note.parsed, heading, {
    keepSubsections: op.keep_subsections ?? false,
  });
  if (lines === '') return exactly([]);
  if (span.start === span.end) {
    return fillEmpty(text, region.start, region.end, inserted(withoutBlankEdges(lines), eol), eol);
  }
  // Inserted after the last line's text, so that the presence of a final newline does not change.
  const below = (blankBefore: number, blankAfter: number): readonly Splice[] => [
    { start: span.end, end: span.end, insert: eol.repeat(1 + blankBefore) + lines + eol.repeat(blankAfter) },
  ];
  return contained([below(0, 0), below(1, 0), below(0, 1), below(1, 1)]);
}

/**
 * Inserts the first lines of an empty section below its blank lines; if there are any, one is added after the
 * text.
 */
function fillEmpty(text: string, start: number, end: number, lines: string, eol: Eol): Edit {
  if (end === text.length && !startsLine(text, end)) {
    return insertLines(text, end, lines, eol, { keepFinalState: true });
  }
  return insertLines(text, end, lines, eol, { blankAfter: start < end });
}

/** Removes a section's text with its EOL, and the blank lines after it when there are some before it. */
function emptied(
  text: string,
  headingEnd: number,
  region: { readonly start: number; readonly end: number },
  span: { readonly start: number; readonly end: number },
): Splice {
  // A last line without a final newline is removed with the newline before it.
  if (region.end === text.length && !startsLine(text, text.length)) {
    return { start: headingEnd, end: text.length, insert: '' };
  }
  const behind = text.slice(span.end, region.end);
  const ownBreak = /^(?:\r\n?|\n)/.exec(behind)?.[0].length ?? 0;
  const parted = span.start > region.start;
  return { start: span.start, end: parted ? region.end : span.end + ownBreak, insert: '' };
}

/** Removes a first line that repeats the section's heading. */
function withoutHeading(markdown: string, heading: Heading): string {
  const [first = '', second = ''] = markdown.split(/\r\n?|\n/, 2);
  const atx = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(first);
  if (atx !== null) {
    const [, marks = '', rest = ''] = atx;
    const same = headingKey(rest.replace(/[ \t]#+[ \t]*$/, '')) === headingKey(heading.text);
    return same && marks.length <= heading.level ? withoutBlankEdges(markdown.slice(first.length)) : markdown;
  }
  const underlined = /^ {0,3}(?:=+|-+)[ \t]*$/.test(second);
  if (heading.style !== 'setext' || !underlined || first.trim() !== heading.text.trim()) return markdown;
  return withoutBlankEdges(markdown.slice(markdown.indexOf(second, first.length) + second.length));
}

function isListItem(text: string): boolean {
  return /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(text);
}

function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}
