import { LecternError } from '../../../errors.ts';

/** A model's file that is not what it should be. @param what a whole sentence; may name files, no content */
export function brokenModel(what: string, cause?: unknown): LecternError {
  return new LecternError('invalid_input', what, {
    ...(cause !== undefined && { cause }),
    next: 'Get the model again, or choose another one.',
  });
}
