import { LecternError } from '../../errors.ts';
import type { Span } from '../../notes/model.ts';
import { findBlock } from '../../notes/structure/blocks.ts';
import { findHeading } from '../../notes/structure/outline.ts';
import { sectionBody } from '../../notes/structure/section-body.ts';
import type { OpenedNote } from '../../vault/session.ts';
import { oneLine } from './rendering.ts';

export interface Region {
  readonly span: Span;
  /** The heading as written, markup included. */
  readonly heading?: string;
  /** Without `^`. */
  readonly blockId?: string;
}

/** Candidates listed when a heading or block is not found. */
const CANDIDATES = 10;

/**
 * The part of a note that a read requests: the text below the front matter, the body of one section (what
 * `replace_section` would replace), or the content of one block.
 *
 * @throws LecternError `not_found` or `ambiguous` with the existing headings or blocks; `invalid_input` when
 *   both a heading and a block are given
 */
export function regionOf(note: OpenedNote, wanted: { heading?: string; block_id?: string }): Region {
  if (wanted.heading !== undefined && wanted.block_id !== undefined) {
    throw new LecternError('invalid_input', 'heading and block_id exclude each other.', {
      details: { missing: [], unknown: [], invalid: [{ key: 'block_id', problem: 'heading is given too' }] },
      next: 'Call note_read with only one of them.',
    });
  }
  if (wanted.heading !== undefined) return headingRegion(note, wanted.heading);
  if (wanted.block_id !== undefined) return blockRegion(note, wanted.block_id);
  return { span: { start: note.parsed.bodyStart, end: note.parsed.text.length } };
}

function headingRegion({ path, parsed }: OpenedNote, address: string): Region {
  const found = findHeading(parsed, address);
  if (found.kind === 'found') {
    return {
      span: sectionBody(parsed, found.heading).span,
      heading: `${'#'.repeat(found.heading.level)} ${found.heading.text}`,
    };
  }
  const asked = oneLine(address, 100);
  if (found.kind === 'ambiguous') {
    throw new LecternError('ambiguous', `${path} has several headings '${asked}'.`, {
      details: {
        candidates: found.candidates.map(({ path: chain, line }) => ({ heading: chain.join(' > '), line })),
        total: found.total,
      },
      next: 'Call note_read with the chain of one candidate, e.g. heading "A > B".',
    });
  }
  throw new LecternError('not_found', `${path} has no heading '${asked}'.`, {
    details: {
      headings: parsed.headings.slice(0, CANDIDATES).map(({ level, text, line }) => ({ level, text, line })),
      total: parsed.headings.length,
    },
    next: 'Choose one of its headings; note_outline lists them all.',
  });
}

function blockRegion({ path, parsed }: OpenedNote, id: string): Region {
  const found = findBlock(parsed, id);
  if (found.kind === 'found') return { span: found.block.span, blockId: found.block.id };
  const asked = oneLine(id, 100);
  if (found.kind === 'ambiguous') {
    throw new LecternError('ambiguous', `${path} has several blocks with the id '${asked}'.`, {
      details: { lines: found.candidates.slice(0, CANDIDATES).map((block) => block.line) },
      next: 'Read the note or the section around one of these lines instead.',
    });
  }
  throw new LecternError('not_found', `${path} has no block with the id '${asked}'.`, {
    details: {
      block_ids: parsed.blocks.slice(0, CANDIDATES).map((block) => block.id),
      total: parsed.blocks.length,
    },
    next: 'Use one of its block ids, or read by heading.',
  });
}
