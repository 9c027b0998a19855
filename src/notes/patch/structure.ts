import type { Block, Frontmatter, Heading, ParsedNote, Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import { LineIndex } from '../text.ts';

/**
 * Whether inserted Markdown stays within its span. New text can affect what is around it: an unclosed fence
 * includes the following text, `---` under a paragraph makes it a heading, a line right below a `^id`
 * detaches the id from its block, a first line `---` opens front matter.
 *
 * @param before the note, parsed, in which the splices are made
 * @param after the result, parsed
 * @param splices sorted, disjoint, not empty
 * @returns a clause about the first place outside the edited span whose meaning would change, or undefined
 */
export function disturbance(
  before: ParsedNote,
  after: ParsedNote,
  splices: readonly Splice[],
): string | undefined {
  const start = splices[0]?.start ?? 0;
  const end = splices.at(-1)?.end ?? 0;
  const shift = after.text.length - before.text.length;
  const newEnd = end + shift;

  // Text for an empty note may contain front matter, as there is no other text that it could include.
  const wasEmpty = before.text.trim() === '';
  const inBody = start >= before.bodyStart;
  if (inBody && !wasEmpty && propertiesMark(after.frontmatter) !== propertiesMark(before.frontmatter)) {
    return 'it would be read as front matter, or as a part of it';
  }

  const oldHeadings = outside(before.headings, headingSpan, start, end, 0);
  const newHeadings = outside(after.headings, headingSpan, start, newEnd, shift);
  const heading = firstDifference(oldHeadings, newHeadings, headingMark);
  if (heading !== undefined) {
    const { text, line } = heading.item;
    return heading.lost
      ? `the heading "${text}" (line ${line}) would no longer be one`
      : `"${text}" would become a heading`;
  }

  // A heading across the edge of the new text: its first or last line has become a part of a setext heading.
  const joined = crossing(after.headings, start) ?? crossing(after.headings, newEnd);
  if (
    joined !== undefined &&
    (crossing(before.headings, start) ?? crossing(before.headings, end)) === undefined
  ) {
    return `"${joined.text}" would become a heading`;
  }

  const oldBlocks = outside(before.blocks, blockSpan, start, end, 0);
  const newBlocks = outside(after.blocks, blockSpan, start, newEnd, shift);
  const block = firstDifference(oldBlocks, newBlocks, blockMark);
  if (block !== undefined) {
    return `the block id ^${block.item.id} would name something else`;
  }

  for (const span of after.opaque) {
    if (span.start >= newEnd) break;
    if (span.start < start) {
      if (span.end > start && !before.opaque.some((one) => one.start === span.start))
        return 'it would end a comment, code or math that the text above begins, and hide that text';
    } else if (span.end > newEnd && after.text.slice(newEnd, span.end).trim() !== '') {
      return 'a code block or comment in it would swallow the text that follows';
    }
  }
  return undefined;
}

/** The start of a block that extends to the end of its container when it is unclosed. */
const OPENING = /(`{3,}|~{3,})|<!--|<(script|pre|style|textarea)(?=[\s>])/iy;

/**
 * The unclosed block above, such as a code fence or an HTML comment, that includes all of the inserted text.
 *
 * @param after the result, parsed
 * @returns the 1-based line on which it begins and the text that would close it; undefined when there is none
 */
export function unclosedAbove(
  after: ParsedNote,
  splices: readonly Splice[],
): { readonly line: number; readonly closing: string } | undefined {
  const [splice] = splices;
  if (splice === undefined) return undefined;
  const end = splice.start + splice.insert.trimEnd().length;
  const span = after.opaque.find((one) => one.start < splice.start && one.end >= end);
  if (span === undefined) return undefined;
  OPENING.lastIndex = span.start;
  const [opening, fence, element] = OPENING.exec(after.text) ?? [];
  if (opening === undefined) return undefined;
  const text = after.text.slice(span.start, span.end);
  const closing = fence ?? (element === undefined ? '-->' : `</${element}>`);
  const isClosed = fence === undefined ? closesElement(text, closing) : closesFence(text, fence);
  return isClosed ? undefined : { line: new LineIndex(after.text).lineAt(span.start), closing };
}

function closesElement(text: string, closing: string): boolean {
  return text.toLowerCase().includes(closing.toLowerCase());
}

function closesFence(text: string, fence: string): boolean {
  const [, ...lines] = text.split(/\r\n?|\n/);
  const last =
    lines
      .at(-1)
      ?.replace(/^[ \t>]*/, '')
      .trimEnd() ?? '';
  return last.startsWith(fence) && last === fence.charAt(0).repeat(last.length);
}

interface Placed<T> {
  readonly item: T;
  /** The item's offset in the old text. */
  readonly start: number;
}

function outside<T>(
  items: readonly T[],
  spanOf: (item: T) => Span,
  start: number,
  end: number,
  shift: number,
): readonly Placed<T>[] {
  const found: Placed<T>[] = [];
  for (const item of items) {
    const span = spanOf(item);
    if (span.end <= start) found.push({ item, start: span.start });
    else if (span.start >= end) found.push({ item, start: span.start - shift });
  }
  return found;
}

function firstDifference<T>(
  old: readonly Placed<T>[],
  now: readonly Placed<T>[],
  markOf: (item: T) => string,
): { item: T; lost: boolean } | undefined {
  const marks = (list: readonly Placed<T>[]) =>
    new Map(list.map(({ item, start }) => [`${start} ${markOf(item)}`, item]));
  const oldMarks = marks(old);
  const newMarks = marks(now);
  for (const [mark, item] of oldMarks) if (!newMarks.has(mark)) return { item, lost: true };
  for (const [mark, item] of newMarks) if (!oldMarks.has(mark)) return { item, lost: false };
  return undefined;
}

function propertiesMark(frontmatter: Frontmatter | undefined): string {
  if (frontmatter === undefined) return '';
  const { kind, contentSpan, properties } = frontmatter;
  return `${kind} ${contentSpan.start} ${kind === 'yaml' ? contentSpan.end : properties.length}`;
}

function headingSpan(heading: Heading): Span {
  return heading.span;
}

function crossing(headings: readonly Heading[], offset: number): Heading | undefined {
  return headings.find(({ span }) => span.start < offset && span.end > offset);
}

function headingMark(heading: Heading): string {
  return `${heading.level} ${heading.text}`;
}

/** The span of a block's content and id, in either order. */
function blockSpan(block: Block): Span {
  return {
    start: Math.min(block.span.start, block.idSpan.start),
    end: Math.max(block.span.end, block.idSpan.end),
  };
}

function blockMark(block: Block): string {
  return `${block.id} ${block.span.end - block.span.start}`;
}
