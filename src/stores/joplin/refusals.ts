import type { LecternError } from '../../errors.ts';
import { refuse } from '../refusals.ts';

export function isAFolder(path: string): LecternError {
  return refuse('invalid_path', path, 'is a notebook, not a note', 'Pass the path of a note.');
}

/** Joplin shows notes only inside notebooks. */
export function needsNotebook(path: string): LecternError {
  return refuse(
    'invalid_path',
    path,
    'is in no notebook, and Joplin keeps every note in one',
    'Put a notebook in front, such as "Inbox/Note.md".',
  );
}
