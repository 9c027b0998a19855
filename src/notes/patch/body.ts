import type { Edit, NoteInEdit } from './edit.ts';
import { insertLines } from './insertion.ts';
import { inserted } from './lines.ts';
import type { CheckedOp } from './op.ts';

/**
 * Adds lines at the end of the note. A missing final newline is added first; the result ends with a newline. No
 * blank line is added, unless the text would otherwise change the meaning of its surroundings.
 */
export function appendBody(note: NoteInEdit, op: CheckedOp<'append_body'>): Edit {
  return insertLines(note.text, note.text.length, inserted(op.markdown, note.eol), note.eol);
}

/** Adds lines before the body, after the front matter. */
export function prependBody(note: NoteInEdit, op: CheckedOp<'prepend_body'>): Edit {
  return insertLines(note.text, note.parsed.bodyStart, inserted(op.markdown, note.eol), note.eol);
}
