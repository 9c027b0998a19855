import { LecternError } from '../errors.ts';
import { readablePathProblem } from '../notes/path.ts';

/** The errors of all stores have this form: the path, the reason, the next step. */
export function refuse(code: LecternError['code'], path: string, reason: string, next: string): LecternError {
  return new LecternError(code, `${JSON.stringify(path)} ${reason}.`, { details: { path }, next });
}

/** @throws LecternError `invalid_path` for a path that no store can read */
export function checkReadable(path: string): void {
  const problem = readablePathProblem(path);
  if (problem !== undefined) throw refuse('invalid_path', path, problem.reason, problem.next);
}

export function notThere(path: string): LecternError {
  return refuse('not_found', path, 'does not exist', 'Check the spelling, or list the notes.');
}

export function exists(path: string): LecternError {
  return refuse('exists', path, 'already exists', 'Choose another name.');
}

export function changedByOther(path: string): LecternError {
  return refuse('conflict', path, 'was changed by someone else', 'Read it again and repeat the change.');
}
