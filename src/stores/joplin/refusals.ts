import { LecternError } from '../../errors.ts';
import { readablePathProblem } from '../../notes/path.ts';

export function checkPath(path: string): void {
  const problem = readablePathProblem(path);
  if (problem !== undefined) throw refuse('invalid_path', path, problem.reason, problem.next);
}

export function refuse(code: LecternError['code'], path: string, reason: string, next: string): LecternError {
  return new LecternError(code, `${JSON.stringify(path)} ${reason}.`, { details: { path }, next });
}

export function notThere(path: string): LecternError {
  return refuse('not_found', path, 'does not exist', 'Check the spelling, or list the notes.');
}

export function isAFolder(path: string): LecternError {
  return refuse('invalid_path', path, 'is a notebook, not a note', 'Pass the path of a note.');
}

export function changedByOther(path: string): LecternError {
  return refuse('conflict', path, 'was changed by someone else', 'Read it again and repeat the change.');
}

/** Joplin shows notes inside of notebooks only. */
export function needsNotebook(path: string): LecternError {
  return refuse(
    'invalid_path',
    path,
    'is in no notebook, and Joplin keeps every note in one',
    'Put a notebook in front, such as "Inbox/Note.md".',
  );
}
