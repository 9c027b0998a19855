import { LecternError } from '../../errors.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Block } from '../model.ts';
import type { Splice } from '../splice.ts';
import { findBlock } from '../structure/blocks.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import { inserted, withoutBlankEdges } from './lines.ts';
import type { CheckedOp } from './op.ts';

/** Most blocks named in an error. */
const MAX_CANDIDATES = 20;
/** Most lines of the new text after which the id is tried. */
const MAX_PLACES = 12;

const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[^\]\r\n[]\][ \t]+)?/u;

/**
 * Replaces the content of the block with an id; the id then addresses the new content. A list item keeps its
 * position in the list, and its marker when the new text has none.
 *
 * @throws LecternError `not_found` with the note's ids, `ambiguous` with lines, `invalid_input` for the id of a
 *   page and for empty content
 */
export function replaceBlock(note: NoteInEdit, op: CheckedOp<'replace_block'>): Edit {
  const block = blockOf(note, op.block_id);
  if (note.parsed.frontmatter !== undefined && block.span.start < note.parsed.bodyStart) {
    throw new LecternError('invalid_input', `^${block.id} names the page itself.`, {
      next: 'Use set_frontmatter for its properties, or append_body and replace_section for its text.',
    });
  }
  const lines = newLines(note, block, op.markdown);
  if (lines.length === 0) {
    throw new LecternError(
      'invalid_input',
      'A block cannot be replaced by nothing: its id would name nothing.',
      {
        details: { wrong: ['markdown'] },
        next: 'To remove the block with its id, use replace_text.',
      },
    );
  }
  if (lines.join(note.eol) === withoutId(note, block)) return exactly([]);

  return {
    attempts: DIALECT_RULES[note.dialect].outlines
      ? withIdLine(note, block, lines)
      : withMark(note, block, lines),
    contained: true,
    next: 'Give the text of one block (one paragraph, item, table or quote), or use replace_text.',
    problemIn: (after, splices) => {
      const end = (splices.at(-1)?.end ?? 0) + after.text.length - note.text.length;
      const first = block.span.start + widthOf(after.text.slice(block.span.start));
      const now = after.blocks.filter(({ id }) => id.toLowerCase() === block.id.toLowerCase());
      const whole = now.some(
        ({ span, idSpan }) =>
          span.start >= block.span.start && span.start <= first && Math.max(span.end, idSpan.end) >= end,
      );
      return whole && now.length === 1 ? undefined : `^${block.id} would not name exactly the new text`;
    },
  };
}

/** The variants of the new content with a `^id`. */
function withMark(note: NoteInEdit, block: Block, lines: readonly string[]): readonly (readonly Splice[])[] {
  const { eol, text } = note;
  const { start, end } = block.span;
  if (block.placement === 'own-line') return [[{ start, end, insert: lines.join(eol) }]];
  const mark = text.slice(block.idSpan.start, block.idSpan.end);
  const all = { start, end: Math.max(end, block.idSpan.end) };
  const last = lines.length - 1;
  // The id must be at the end of the content's first block: in most cases the only line, in a list item
  // with children the first line, in a paragraph the last line.
  const places = [...lines.keys()].slice(0, MAX_PLACES);
  const order = [...new Set(end > block.idSpan.end ? [...places, last] : [last, ...places])];
  const inline = order.map((place) => [
    {
      ...all,
      insert: lines.map((line, index) => (index === place ? `${line.trimEnd()} ${mark}` : line)).join(eol),
    },
  ]);
  const indent = /^[ \t]*/.exec(lines[0] ?? '')?.[0] ?? '';
  return [...inline, [{ ...all, insert: `${lines.join(eol)}${eol}${eol}${indent}${mark}` }]];
}

/** The variants of the new content with Logseq's `id:: uuid`, which is a line of the block. */
function withIdLine(
  note: NoteInEdit,
  block: Block,
  lines: readonly string[],
): readonly (readonly Splice[])[] {
  const { eol, text } = note;
  const mark = text.slice(block.idSpan.start, block.idSpan.end);
  const indent = `${indentOf(text, block.span.start)}  `;
  return [...lines.keys()].slice(0, MAX_PLACES).map((place) => {
    const all = [...lines.slice(0, place + 1), indent + mark, ...lines.slice(place + 1)];
    return [{ ...block.span, insert: all.join(eol) }];
  });
}

/** The lines of the new content without the id, with the old content's list marker and indentation. */
function newLines(note: NoteInEdit, block: Block, markdown: string): readonly string[] {
  const { eol, text } = note;
  const plain = withoutBlankEdges(inserted(withoutOwnId(markdown, block), eol));
  if (plain.trim() === '') return [];
  const old = text.slice(block.span.start, block.span.end);
  const oldMark = LIST_MARK.exec(old)?.[0] ?? '';
  const indent = indentOf(text, block.span.start);
  const [first = '', ...rest] = plain.split(eol);
  const mark = footnoteMark(text, block.span.start);
  const repeated = [mark, indent].find((lead) => lead !== '' && first.startsWith(lead)) ?? '';
  const start = first.slice(repeated.length);
  const unmarked = oldMark !== '' && !LIST_MARK.test(start);
  // Text copied from the note has the block's indentation on all lines except the first; newly written text
  // has none.
  const needed = unmarked ? indent.length + 2 : oldMark === '' ? indent.length : indent.length + 1;
  const shallow = rest.some((line) => line.trim() !== '' && widthOf(line) < needed);
  const shift = shallow ? indent + (unmarked ? '  ' : '') : '';
  return [
    (unmarked ? oldMark : '') + start,
    ...rest.map((line) => (line.trim() === '' ? line : shift + line)),
  ];
}

/** Removes the id when the new text repeats it, at the end of a line or on a separate line. */
function withoutOwnId(markdown: string, block: Block): string {
  const id = block.id.replace(/[^0-9A-Za-z-]/g, '');
  return markdown
    .replace(new RegExp(`^[ \\t]*(?:\\^|id:: )${id}[ \\t]*$`, 'im'), '')
    .replace(new RegExp(`[ \\t]\\^${id}[ \\t]*$`, 'im'), '');
}

/** The block's current content without the id and the white space before it. */
function withoutId(note: NoteInEdit, block: Block): string {
  const { text } = note;
  const { span, idSpan } = block;
  if (idSpan.start >= span.end || DIALECT_RULES[note.dialect].outlines)
    return text.slice(span.start, span.end);
  return text.slice(span.start, idSpan.start).trimEnd() + text.slice(idSpan.end, span.end);
}

/** The mark `[^1]: ` before a footnote's text, which is not part of the block; empty when there is none. */
function footnoteMark(text: string, start: number): string {
  return (
    /(?:^|[\r\n])(\[\^[^\]\r\n]+\]:[ \t]*)$/.exec(text.slice(Math.max(0, start - 200), start))?.[1] ?? ''
  );
}

/**
 * The indentation of a block's continuation lines: the text before the block with markers replaced by spaces.
 */
function indentOf(text: string, start: number): string {
  let at = start;
  while (at > 0 && !/[\r\n\ufeff]/.test(text[at - 1] ?? '')) at--;
  return text.slice(at, start).replace(/[^ \t]/g, ' ');
}

function widthOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

function blockOf(note: NoteInEdit, id: string): Block {
  const lookup = findBlock(note.parsed, id);
  if (lookup.kind === 'found') return lookup.block;
  const shown = id.replace(/^#?\^/, '');
  const listed = (blocks: readonly Block[]) =>
    blocks.slice(0, MAX_CANDIDATES).map((block) => ({ block_id: block.id, line: block.line }));
  if (lookup.kind === 'ambiguous') {
    const { length } = lookup.candidates;
    const lines = lookup.candidates.slice(0, MAX_CANDIDATES).map(({ line }) => line);
    const more = length > lines.length ? ', …' : '';
    throw new LecternError(
      'ambiguous',
      `^${shown} names ${length} blocks (lines ${lines.join(', ')}${more}).`,
      {
        details: { candidates: listed(lookup.candidates) },
        next: 'Use replace_text, or give one of them another id first.',
      },
    );
  }
  const { blocks } = note.parsed;
  throw new LecternError('not_found', `The note has no block ^${shown}.`, {
    details: { blocks: listed(blocks), total: blocks.length },
    next:
      blocks.length === 0
        ? 'The note has no block ids: use replace_section or replace_text.'
        : 'Use one of the ids that exist.',
  });
}
