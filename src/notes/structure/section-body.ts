import type { Heading, NoteStructure, Span } from '../model.ts';
import { sectionOf } from './outline.ts';

export interface SectionOptions {
  /** Whether the section ends at the next heading of any level, instead of the same or a higher one. */
  readonly keepSubsections?: boolean;
}

export interface SectionBody {
  /**
   * The content of the section: from its first to its last line that is not blank, with indentation and without
   * the last line's EOL. Empty, at `region.end`, when there is no such line.
   */
  readonly span: Span;
  /** Everything between the heading's line and the line of the heading that ends the section. */
  readonly region: Span;
  /** The text of `span`. */
  readonly text: string;
}

/**
 * The body of a heading's section. Reads and writes share this definition, so that writing back a body that was
 * read changes no byte.
 *
 * @param heading one of `note.headings`
 * @throws RangeError for any other heading
 */
export function sectionBody(
  note: NoteStructure,
  heading: Heading,
  options: SectionOptions = {},
): SectionBody {
  const { text } = note;
  const section = sectionOf(note, note.headings.indexOf(heading));
  if (section === undefined) throw new RangeError('The heading is not one of the note.');
  const region = options.keepSubsections ? section.ownSpan : section.bodySpan;
  const span = withoutBlankEdges(text, region);
  return { span, region, text: text.slice(span.start, span.end) };
}

/** Reduces a span of whole lines to those from the first to the last line that is not blank. */
function withoutBlankEdges(text: string, { start, end }: Span): Span {
  let first = start;
  while (first < end && isSpace(text.charCodeAt(first))) first++;
  if (first === end) return { start: end, end };
  let last = end;
  while (isSpace(text.charCodeAt(last - 1))) last--;
  // Spaces at the end of the last line belong to it: two of them are a hard break.
  while (last < end && !isBreak(text.charCodeAt(last))) last++;
  return { start: Math.max(start, lineStart(text, first)), end: last };
}

/** The start offset of the line that contains `offset`. Lines end at LF, CRLF or CR. */
export function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isBreak(text.charCodeAt(at - 1)) && text.charCodeAt(at - 1) !== 0xfeff) at--;
  return at;
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** White space of a blank line by CommonMark: spaces, tabs and line breaks. A no-break space is text. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || isBreak(code);
}
