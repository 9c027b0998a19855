import { LecternError } from '../errors.ts';
import type { Span } from '../notes/model.ts';
import type { OpenedNote } from '../vault/session.ts';

export interface Region {
  readonly span: Span;
  readonly heading?: string;
  readonly blockId?: string;
}

/**
 * The part of a note a read is about: the text below the front matter, the body of one section
 * (what `replace_section` would replace), or the content of one block.
 *
 * @throws LecternError `not_found` or `ambiguous` with the headings or blocks there are
 */
export function sectionOf(note: OpenedNote, wanted: { heading?: string; block_id?: string }): Region {
  if (wanted.heading !== undefined && wanted.block_id !== undefined) {
    throw new LecternError('invalid_input', 'heading and block_id exclude each other.', {
      details: { missing: [], unknown: [], invalid: [{ key: 'block_id', problem: 'heading is given too' }] },
      next: 'Call note_read with only one of them.',
    });
  }
  return { span: { start: note.parsed.bodyStart, end: note.parsed.text.length } };
}
