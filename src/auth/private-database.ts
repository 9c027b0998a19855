import { chmodSync, closeSync, openSync } from 'node:fs';
import { LecternError } from '../errors.ts';
import { type Database, openDatabase } from '../sqlite/driver.ts';

/**
 * Opens (and creates) a database for its owner's eyes only. The mode is set before anything is written:
 * SQLite gives the files beside it, which hold the newest rows, the mode that the database has then.
 *
 * @throws LecternError `unavailable` when the file cannot be opened or is not a database
 */
export function openPrivateDatabase(path: string): Database {
  try {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw new LecternError('unavailable', `The database ${path} cannot be opened.`, {
      cause: error,
      next: 'Check that the state folder is writable and belongs to this user.',
    });
  }
  return openDatabase(path);
}
