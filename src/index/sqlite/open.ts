import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { LecternError } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import { type Database, openDatabase, type Row, transaction } from '../../sqlite/driver.ts';
import { isThisStart, machineStart } from './machine-start.ts';
import { PARSER_VERSION, SCHEMA, SCHEMA_VERSION } from './schema.ts';

/**
 * Memory limits of a connection, besides open statements. The file is not memory-mapped: searches take the same
 * time without, and mapped pages would count as memory of the process.
 */
export interface Budget {
  readonly cacheKiB: number;
  /** Pages in the write-ahead log before a checkpoint copies them into the file, which takes an fsync. */
  readonly checkpointPages: number;
}

const WRITER_BUDGET: Budget = { cacheKiB: 4 * 1024, checkpointPages: 4000 };
/** Page cache during a first build, which writes to pages all over the file. */
const BULK_CACHE_KIB = 16 * 1024;
const READER_BUDGET: Budget = { cacheKiB: 8 * 1024, checkpointPages: 4000 };

/** A smaller page cache, as vectors are read once and then kept by the caller. */
export const VECTOR_READER_BUDGET: Budget = { cacheKiB: 4 * 1024, checkpointPages: 4000 };

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SQLITE_READONLY = 8;

/**
 * Opens the index for writing. A damaged file is deleted and created again; one of another version of Lectern
 * or of another dialect is emptied in place. The content is then rebuilt from the notes.
 *
 * @param dialect undefined keeps the index's own, or `obsidian` for a new one
 * @throws LecternError `unavailable` when the folder cannot be written or the file stays locked, `internal` for
 *   an error that is not the database's
 */
export function openForWriting(path: string, dialect: Dialect | undefined): Database {
  if (existsSync(damageMark(path))) deleteIndex(path);
  try {
    const database = prepared(path, dialect);
    if (!mayBeTorn(database)) return database;
    database.close();
  } catch (error) {
    if (!isDamage(error)) throw unavailable(path, error);
  }
  deleteIndex(path);
  try {
    return prepared(path, dialect);
  } catch (error) {
    throw unavailable(path, error);
  }
}

/**
 * Opens the index for reading; the writer must have opened it before.
 *
 * @throws LecternError `unavailable` when there is no usable index, `internal` for an error that is not the
 *   database's
 */
export function openForReading(path: string, budget = READER_BUDGET): Database {
  if (!existsSync(path) || existsSync(damageMark(path))) throw noIndex();
  let database: Database | undefined;
  try {
    // Not opened read-only, as the first reader has to create the shared-memory file of the WAL.
    database = openDatabase(path);
    configure(database, budget);
    database.exec('PRAGMA query_only = ON');
    if (stamp(database) === undefined) {
      throw new LecternError('unavailable', 'The index was made by another version of Lectern.', {
        next: 'Restart Lectern; the index is rebuilt from the notes.',
      });
    }
    // When pages may be missing the writer creates a new file, which this connection would never see.
    if (mayBeTorn(database)) throw noIndex();
    return database;
  } catch (error) {
    database?.close();
    throw indexError(path, error);
  }
}

/**
 * Configures a connection for a first build: a larger page cache and no syncs to disk. Until {@link isOnDisk}
 * returns true a power cut may corrupt the file; meanwhile `pending` in `meta` has the {@link machineStart}.
 */
export function openBulk(database: Database): void {
  // Sorting the links of a large vault for their indexes takes 100 MB of memory unless it may use a file.
  database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${BULK_CACHE_KIB}; PRAGMA temp_store = FILE`);
}

/** Restores the writer's limits and releases the memory. */
export function closeBulk(database: Database): void {
  configure(database, WRITER_BUDGET);
  database.exec('PRAGMA shrink_memory');
}

/** Whether the machine stopped during a first build, so that pages may be missing on disk. */
function mayBeTorn(database: Database): boolean {
  const mark = database.prepare("SELECT value FROM meta WHERE key = 'pending'").get()?.value;
  return mark !== undefined && !isThisStart(String(mark));
}

/** Syncs everything to disk. @returns false when readers prevented a complete checkpoint; try again later */
export function isOnDisk(database: Database): boolean {
  // This write ensures that the checkpoint has a page to copy, without which it would not sync.
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('pending', ?)").run(machineStart());
  const done = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  return done?.busy === 0 && done.log === done.checkpointed;
}

/** Whether an index can be used without rebuilding it. */
export function isIndexOfThisVersion(database: Database): boolean {
  return stamp(database) !== undefined && !mayBeTorn(database);
}

/** Deletes the index file and its companion files. */
export function deleteIndex(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(path + suffix, { force: true });
  rmSync(damageMark(path), { force: true });
}

/**
 * Empties the index in place, so that other processes that have it open see an empty index. Their caches are
 * keyed by ids, so ids that were used are not assigned again.
 */
export function resetIndex(database: Database, dialect: Dialect): void {
  // Otherwise dropping a table would check every reference to it.
  database.exec('PRAGMA foreign_keys = OFF');
  try {
    transaction(database, () => {
      if (stamp(database) === stampOf(dialect)) return;
      const used = usedNumbers(database);
      const tables = database
        .prepare(
          `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             AND name NOT LIKE 'fts\\_%' ESCAPE '\\' ORDER BY name DESC`,
        )
        .all();
      for (const { name } of tables) database.exec(`DROP TABLE IF EXISTS "${String(name)}"`);
      database.exec(SCHEMA);
      const use = database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)');
      for (const { name, seq } of used) use.run(name ?? null, seq ?? null);
      const put = database.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
      put.run('stamp', stampOf(dialect));
      put.run('dialect', dialect);
      // A new epoch tells clients that follow the changes that the sequence started over.
      put.run('epoch', newEpoch());
      put.run('start', machineStart());
    });
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
  mayShrink(database);
}

/** Enables incremental vacuum for {@link shrink}; for a file with tables this takes a `VACUUM`. */
function mayShrink(database: Database): void {
  if (Number(database.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum) === 2) return;
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
  } catch (error) {
    // Another connection is writing: the file cannot shrink until the next reset.
    if (resultCode(error) !== SQLITE_BUSY) throw error;
  }
}

/** Pages that one step releases. */
const SHRINK_PAGES = 128;
/** A smaller share of free pages is kept for later writes. */
const FREE_SHARE = 1 / 32;

/**
 * Releases some free pages to the file system; takes a few milliseconds.
 *
 * @param most free pages that may stay; by default a small share of the file
 * @returns false when there are no more than that
 */
export function shrink(database: Database, most?: number): boolean {
  const read = (pragma: string) => Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
  const free = read('freelist_count');
  if (free <= (most ?? Math.max(SHRINK_PAGES, read('page_count') * FREE_SHARE))) return false;
  if (read('auto_vacuum') !== 2) return false;
  database.exec(`PRAGMA incremental_vacuum(${SHRINK_PAGES})`);
  return true;
}

/** The highest assigned id of each table. */
function usedNumbers(database: Database): readonly Row[] {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get();
  return has === undefined ? [] : database.prepare('SELECT name, seq FROM sqlite_sequence').all();
}

/**
 * Starts a new epoch after the machine was restarted: its last commits may be lost, and their sequence numbers
 * would be assigned to other changes. A killed process loses no commit.
 */
function renewEpoch(database: Database): void {
  const isKept = () => {
    const start = database.prepare("SELECT value FROM meta WHERE key = 'start'").get()?.value;
    return start !== undefined && isThisStart(String(start));
  };
  if (isKept()) return;
  transaction(database, () => {
    if (isKept()) return;
    const put = database.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
    put.run('epoch', newEpoch());
    put.run('start', machineStart());
  });
}

function newEpoch(): string {
  return randomBytes(6).toString('hex');
}

/** The epoch of an index; it changes when the index is emptied and after the machine was restarted. */
export function epochOf(database: Database): string {
  return String(database.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()?.value);
}

/** The dialect by which the indexed notes were parsed. */
export function dialectOf(database: Database): Dialect {
  return String(database.prepare("SELECT value FROM meta WHERE key = 'dialect'").get()?.value) as Dialect;
}

/**
 * Converts an error of the database to a LecternError `unavailable`, any other to `internal`; a LecternError is
 * returned as it is. For a damaged file a marker is created beside it, by which the next start rebuilds the
 * index.
 */
export function indexError(path: string, error: unknown): LecternError {
  if (isDamage(error)) {
    try {
      writeFileSync(damageMark(path), '', { mode: 0o600 });
    } catch {
      // The folder cannot be written; the damage will be detected again.
    }
    return new LecternError('unavailable', 'The index is damaged.', {
      cause: error,
      details: { reason: 'damaged' },
      next: 'Restart Lectern; the index is rebuilt from the notes, which are not affected.',
    });
  }
  return unavailable(path, error);
}

function prepared(path: string, dialect: Dialect | undefined): Database {
  const database = openDatabase(path);
  try {
    configure(database, WRITER_BUDGET);
    const found = stamp(database);
    if (found === undefined || (dialect !== undefined && found !== stampOf(dialect))) {
      resetIndex(database, dialect ?? 'obsidian');
    }
    renewEpoch(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: Database, budget: Budget): void {
  database.exec(`
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -${budget.cacheKiB};
    PRAGMA wal_autocheckpoint = ${budget.checkpointPages};
    PRAGMA journal_size_limit = 67108864;
  `);
}

function stampOf(dialect: Dialect): string {
  return `${SCHEMA_VERSION}.${PARSER_VERSION}.${dialect}`;
}

/** The stamp of an index of this version, of any dialect; undefined for another version. */
function stamp(database: Database): string | undefined {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'").get();
  if (has === undefined) return undefined;
  const value = database.prepare("SELECT value FROM meta WHERE key = 'stamp'").get()?.value;
  return typeof value === 'string' && value.startsWith(`${SCHEMA_VERSION}.${PARSER_VERSION}.`)
    ? value
    : undefined;
}

function noIndex(): LecternError {
  return new LecternError('unavailable', 'There is no index yet.', {
    next: 'Open the vault; the index is built from the notes.',
  });
}

function damageMark(path: string): string {
  return `${path}.damaged`;
}

function resultCode(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as Error & { errcode?: unknown }).errcode;
    // The low byte of an extended result code is the primary code.
    if (typeof code === 'number') return code & 0xff;
  }
  return undefined;
}

function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

function unavailable(path: string, error: unknown): LecternError {
  const code = resultCode(error);
  // One of our own errors, not the database's.
  if (error instanceof LecternError && code === undefined) return error;
  if (code === undefined) return new LecternError('internal', 'The index failed.', { cause: error });
  const readOnly = code === SQLITE_READONLY;
  return new LecternError(
    'unavailable',
    readOnly ? `The index ${path} is read-only.` : `The index ${path} cannot be used.`,
    { cause: error, next: 'Check that the state folder exists, is writable and has space left.' },
  );
}
