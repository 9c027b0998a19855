import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isLecternError } from '../errors.ts';
import { type Database, openDatabase } from './driver.ts';

/**
 * Runs `work` on a database as it is on disk, of which nothing is changed and beside which nothing is made: a plain
 * read-only connection would leave two files behind, and fail on a disk that cannot be written.
 *
 * @throws LecternError `unavailable` when it cannot be opened, and what `work` throws
 */
export function inspectDatabase<T>(path: string, work: (database: Database) => T): T {
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!hasLog) {
    const found = attempt(`${pathToFileURL(path).href}?immutable=1`, work);
    if (found.done) return found.value;
    // Not every runtime takes an address; and somebody may have begun to write meanwhile.
  } else if (existsSync(`${path}-shm`)) {
    // Somebody has it open, or had: with both files there a reader makes no others.
    const found = attempt(path, work);
    if (found.done) return found.value;
  }
  return inspectCopy(path, work);
}

/** Up to five sentences of SQLite on what is wrong with a database; empty when it is whole. */
export function integrityProblems(database: Database, how: 'quick' | 'thorough'): readonly string[] {
  const pragma = how === 'quick' ? 'quick_check' : 'integrity_check';
  const said = database
    .prepare(`PRAGMA ${pragma}(5)`)
    .all()
    .map((row) => String(Object.values(row)[0]));
  return said.length === 1 && said[0] === 'ok' ? [] : said;
}

type Attempt<T> = { readonly done: true; readonly value: T } | { readonly done: false };

function attempt<T>(name: string, work: (database: Database) => T): Attempt<T> {
  let database: Database;
  try {
    database = openDatabase(name, { readOnly: true, busyTimeoutMs: 2000 });
  } catch (error) {
    if (isLecternError(error)) return { done: false };
    throw error;
  }
  try {
    return { done: true, value: work(database) };
  } finally {
    database.close();
  }
}

/** With its log, where SQLite may put in order what it likes. */
function inspectCopy<T>(path: string, work: (database: Database) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-inspect-'));
  try {
    const copy = join(folder, basename(path));
    copyDatabase(path, copy);
    const database = openDatabase(copy, { wal: false });
    try {
      return work(database);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a database and its log, not the shared memory, which is made from them. */
export function copyDatabase(from: string, to: string): void {
  for (const suffix of ['', '-wal'])
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix, constants.COPYFILE_FICLONE);
}
