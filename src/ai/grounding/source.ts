import type { Heading, Span } from '../../notes/model.ts';
import { LineIndex } from '../../notes/text.ts';

/** A note in the version that was read: passages are taken from it, and quotes are searched in it. */
export interface Source {
  readonly path: string;
  readonly title: string;
  readonly etag: string;
  readonly text: string;
  readonly headings: readonly Heading[];
  readonly lines: LineIndex;
}

/** A part of a note. Offsets are in UTF-16 code units of its text. */
export interface Place extends Span {
  readonly source: Source;
}

/** A note in the version that was opened, as a source of passages. */
export function sourceOf(note: {
  readonly path: string;
  readonly title: string;
  readonly etag: string;
  readonly parsed: { readonly text: string; readonly headings: readonly Heading[] };
}): Source {
  const { path, title, etag, parsed } = note;
  return {
    path,
    title,
    etag,
    text: parsed.text,
    headings: parsed.headings,
    lines: new LineIndex(parsed.text),
  };
}

/** The nearest heading at or above an offset. */
export function headingAbove({ headings }: Source, offset: number): Heading | undefined {
  let low = 0;
  let high = headings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((headings[middle]?.span.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return headings[low - 1];
}

/** The span without leading and trailing white space. */
export function trimmed(text: string, { start, end }: Span): Span {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text[from] ?? '')) from += 1;
  while (to > from && /\s/.test(text[to - 1] ?? '')) to -= 1;
  return { start: from, end: to };
}
