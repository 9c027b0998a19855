import type { Block, Heading, Span } from '../../notes/model.ts';
import type { NoteView } from '../../notes/note-view.ts';

/**
 * A view in transferable form: without the text, which the receiver has, and with headings and blocks as rows
 * of numbers. Receiving thousands of small objects would take longer than parsing the note.
 */
export interface PackedView extends Pick<NoteView, 'bodyStart' | 'frontmatter' | 'tags' | 'counts'> {
  /** Seven numbers each: level, text span, span, line, 1 for setext. */
  readonly headings: Int32Array;
  /** Six numbers each: span, id span, line, 1 for an own line. */
  readonly blocks: Int32Array;
  readonly blockIds: readonly string[];
}

const HEADING = 7;
const BLOCK = 6;

export function packView({ bodyStart, frontmatter, tags, counts, headings, blocks }: NoteView): PackedView {
  return {
    bodyStart,
    frontmatter,
    tags,
    counts,
    headings: Int32Array.from(
      headings.flatMap(({ level, textSpan, span, line, style }) => [
        level,
        textSpan.start,
        textSpan.end,
        span.start,
        span.end,
        line,
        style === 'setext' ? 1 : 0,
      ]),
    ),
    blocks: Int32Array.from(
      blocks.flatMap(({ span, idSpan, line, placement }) => [
        span.start,
        span.end,
        idSpan.start,
        idSpan.end,
        line,
        placement === 'own-line' ? 1 : 0,
      ]),
    ),
    blockIds: blocks.map(({ id }) => id),
  };
}

/** @param text of the note that was packed */
export function unpackView(packed: PackedView, text: string): NoteView {
  const { headings, blocks, blockIds, ...facts } = packed;
  return {
    ...facts,
    text,
    headings: Array.from({ length: headings.length / HEADING }, (_, at): Heading => {
      const row = headings.subarray(at * HEADING, (at + 1) * HEADING);
      const textSpan = spanOf(row, 1);
      return {
        level: levelOf(row[0]),
        text: text.slice(textSpan.start, textSpan.end),
        textSpan,
        span: spanOf(row, 3),
        line: row[5] ?? 0,
        style: row[6] === 1 ? 'setext' : 'atx',
      };
    }),
    blocks: blockIds.map((id, at): Block => {
      const row = blocks.subarray(at * BLOCK, (at + 1) * BLOCK);
      return {
        id,
        span: spanOf(row, 0),
        idSpan: spanOf(row, 2),
        line: row[4] ?? 0,
        placement: row[5] === 1 ? 'own-line' : 'inline',
      };
    }),
  };
}

function spanOf(row: Int32Array, at: number): Span {
  return { start: row[at] ?? 0, end: row[at + 1] ?? 0 };
}

function levelOf(value: number | undefined): Heading['level'] {
  return value === 1 || value === 2 || value === 3 || value === 4 || value === 5 ? value : 6;
}
