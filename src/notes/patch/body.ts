import type { Edit, NoteInEdit } from './edit.ts';
import { insertLines } from './insertion.ts';
import { inserted } from './lines.ts';
import type { CheckedOp } from './op.ts';

/**
 * Adds lines at the end of the note. A missing final newline is added first, and the result ends with
 * one; no blank line is invented.
 */
export function appendBody(note: NoteInEdit, op: CheckedOp<'append_body'>): Edit {
  return insertLines(note.text, note.text.length, inserted(op.markdown, note.eol), note.eol);
}

/** Adds lines in front of the body, after the front matter. */
export function prependBody(note: NoteInEdit, op: CheckedOp<'prepend_body'>): Edit {
  return insertLines(note.text, note.parsed.bodyStart, inserted(op.markdown, note.eol), note.eol);
}
