import { isLecternError, LecternError } from '../../errors.ts';
import type { Database, Statement } from '../../sqlite/driver.ts';

/** The error for callers when the journal or the lock cannot be used: damaged, deleted or on a full disk. */
export function journalFailure(error: unknown): LecternError {
  if (isLecternError(error)) return error;
  return new LecternError('unavailable', 'The journal of this vault cannot be used, so nothing is written.', {
    cause: error,
    next: 'Notes can still be read. Check that the state folder exists, is writable and has space, then restart Lectern.',
  });
}

/** Wraps a database so that its errors are converted by {@link journalFailure}. */
export function guarded(database: Database): Database {
  return guard(database, {
    prepare: (...parameters: Parameters<Database['prepare']>): Statement =>
      guard(database.prepare(...parameters), {}),
  });
}

function guard<T extends object>(target: T, instead: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      const own = key in instead ? instead[key as keyof T] : target[key as keyof T];
      if (typeof own !== 'function') return own;
      return (...parameters: unknown[]) => {
        try {
          return Reflect.apply(own, target, parameters);
        } catch (error) {
          throw journalFailure(error);
        }
      };
    },
  });
}
