import { bomLength } from '../text.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import { inserted, startsLine } from './lines.ts';
import type { CheckedOp } from './op.ts';

/**
 * Puts lines at an end of the note as they are, whatever Markdown they make there: for systems whose
 * tools say so byte by byte. `append_body` and `prepend_body` keep them from reaching into other text.
 */
export function insertLines(note: NoteInEdit, op: CheckedOp<'insert_lines'>): Edit {
  const { text, eol } = note;
  const lines = inserted(op.markdown, eol);
  const top = bomLength(text);
  const at = op.at === 'top' ? top : op.at === 'start' ? note.parsed.bodyStart : text.length;
  const broken = at === top || startsLine(text, at) ? '' : eol;
  const blank = op.blank_line === true && at > top ? eol : '';
  // At the end nothing follows that a line break would have to part from the lines.
  const after = op.at === 'end' ? '' : eol;
  return exactly([{ start: at, end: at, insert: broken + blank + lines + after }]);
}
