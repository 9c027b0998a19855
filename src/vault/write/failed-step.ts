import { isLecternError, LecternError } from '../../errors.ts';
import type { FailedStep, WriteContext } from './write-plan.ts';

/** The error of a step in terms the writer may know: the obstacle may be hidden from it. */
export function toldOf({ error, step }: FailedStep, { mayRead }: WriteContext): LecternError {
  const { path } = error.details ?? {};
  if (typeof path !== 'string' || path === '' || mayRead(path)) return error;
  const aim = step.toPath ?? step.path;
  return new LecternError(error.code, `No file can be put at ${aim}.`, {
    cause: error,
    details: { path: aim },
    next: 'Choose another place.',
  });
}

/** The note was saved or removed meanwhile: that is its current state, and the rest of the write stays. */
export function isOvertaken({ code }: LecternError): boolean {
  return code === 'conflict' || code === 'not_found';
}

export function asLecternError(error: unknown): LecternError {
  if (isLecternError(error)) return error;
  return new LecternError('internal', 'The note could not be written.', { cause: error });
}
