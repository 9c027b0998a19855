import { LecternError } from '../../errors.ts';
import { extension, readablePathProblem } from '../../notes/path.ts';
import { TRASH } from './space.ts';

export function checkPath(path: string): void {
  const problem = readablePathProblem(path);
  if (problem !== undefined) throw refuse('invalid_path', path, problem.reason, problem.next);
  if (path.startsWith('_plug/') || path.startsWith(TRASH))
    throw refuse(
      'invalid_path',
      path,
      'is kept by SilverBullet itself or is its trash',
      'Choose another folder.',
    );
}

/** Some servers refuse a file without an extension, and none lists it. */
export function checkExtension(path: string): void {
  if (extension(path) === '')
    throw refuse(
      'invalid_path',
      path,
      'has no extension, without which SilverBullet does not list a file',
      'Add one, such as ".md".',
    );
}

export function refuse(code: LecternError['code'], path: string, reason: string, next: string): LecternError {
  return new LecternError(code, `${JSON.stringify(path)} ${reason}.`, { details: { path }, next });
}

export function exists(path: string): LecternError {
  return refuse('exists', path, 'already exists', 'Choose another name.');
}

export function notThere(path: string): LecternError {
  return refuse('not_found', path, 'does not exist', 'Check the spelling, or list the notes.');
}

export function changedByOther(path: string): LecternError {
  return refuse('conflict', path, 'was changed by someone else', 'Read it again and repeat the change.');
}
