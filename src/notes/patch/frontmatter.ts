import { deleteProperty, setProperty } from '../frontmatter/edit.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import type { CheckedOp } from './op.ts';

/** Sets one property. @throws LecternError as {@link setProperty} */
export function setFrontmatter(note: NoteInEdit, op: CheckedOp<'set_frontmatter'>): Edit {
  return exactly(setProperty(note.text, note.dialect, op.key, op.value));
}

/** Deletes one property with its lines. A note without it is left as it is. */
export function deleteFrontmatter(note: NoteInEdit, op: CheckedOp<'delete_frontmatter'>): Edit {
  return exactly(deleteProperty(note.text, note.dialect, op.key));
}
