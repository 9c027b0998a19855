import { bomLength } from '../text.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import { inserted, startsLine } from './lines.ts';
import type { CheckedOp } from './op.ts';

/**
 * Inserts lines at the start or end of the note without regard to their Markdown, for catalogues whose systems
 * define the exact bytes. `append_body` and `prepend_body` prevent the lines from affecting other text.
 */
export function insertLines(note: NoteInEdit, op: CheckedOp<'insert_lines'>): Edit {
  const { text, eol } = note;
  const lines = inserted(op.markdown, eol);
  const top = bomLength(text);
  const at = op.at === 'top' ? top : op.at === 'start' ? note.parsed.bodyStart : text.length;
  const broken = at === top || startsLine(text, at) ? '' : eol;
  const blank = op.blank_line === true && at > top ? eol : '';
  // At the end no line break is needed, as nothing follows.
  const after = op.at === 'end' ? '' : eol;
  return exactly([{ start: at, end: at, insert: broken + blank + lines + after }]);
}
