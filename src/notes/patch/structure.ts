import type { Block, Frontmatter, Heading, ParsedNote, Span } from '../model.ts';
import type { Splice } from '../splice.ts';

/**
 * Whether inserted Markdown stays in its place. New text can reach beyond its span: an unclosed fence
 * swallows what follows, `---` under a paragraph makes a heading of it, a line right below a `^id` unties
 * the id from its block, a first line `---` opens front matter.
 *
 * @param before the note, parsed, in which the splices are made
 * @param after the result, parsed
 * @param splices sorted, disjoint, not empty
 * @returns a clause about the first thing outside the edited span that would change its meaning, or undefined
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

  // Text put into an empty note may bring its own front matter; there is nothing it could swallow.
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

  // A heading across the edge of the new text: its first or last line became the other half of one.
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
    if (span.start < start || span.start >= newEnd || span.end <= newEnd) continue;
    if (after.text.slice(newEnd, span.end).trim() !== '') {
      return 'a code block or comment in it would swallow the text that follows';
    }
  }
  return undefined;
}

interface Placed<T> {
  readonly item: T;
  /** Where the item would be in the old text. */
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

/** From the start of the content to the end of the id, whichever order they stand in. */
function blockSpan(block: Block): Span {
  return {
    start: Math.min(block.span.start, block.idSpan.start),
    end: Math.max(block.span.end, block.idSpan.end),
  };
}

function blockMark(block: Block): string {
  return `${block.id} ${block.span.end - block.span.start}`;
}
