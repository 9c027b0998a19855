import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { LecternError } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import { type Database, openDatabase, type Row, transaction } from '../../sqlite/driver.ts';
import { isThisStart, machineStart } from './machine-start.ts';
import { PARSER_VERSION, SCHEMA, SCHEMA_VERSION } from './schema.ts';

/**
 * What a connection may keep in memory. SQLite never holds more than this besides open statements. The file is not mapped:
 * searches take the same time without, and mapped pages count as the process's own where its memory is looked at.
 */
export interface Budget {
  readonly cacheKiB: number;
  /** Pages in the write-ahead log before they are copied into the file, which costs an fsync. */
  readonly checkpointPages: number;
}

const WRITER_BUDGET: Budget = { cacheKiB: 4 * 1024, checkpointPages: 4000 };
/** While thousands of notes go in, whose index pages lie all over the file. */
const BULK_CACHE_KIB = 16 * 1024;
const READER_BUDGET: Budget = { cacheKiB: 8 * 1024, checkpointPages: 4000 };

/** Vectors are read once, into memory of their own. */
export const VECTOR_READER_BUDGET: Budget = { cacheKiB: 4 * 1024, checkpointPages: 4000 };

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SQLITE_READONLY = 8;

/**
 * Opens the index for writing. A file that is damaged, that another version of Lectern made, or that
 * was filled in another dialect than the given one starts over empty: everything in it comes back from the notes.
 * @throws LecternError `unavailable` when the folder cannot be written or the file stays locked
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
 * @throws LecternError `unavailable` when there is no usable index
 */
export function openForReading(path: string, budget = READER_BUDGET): Database {
  if (!existsSync(path) || existsSync(damageMark(path))) throw noIndex();
  let database: Database | undefined;
  try {
    // Not opened read-only: a reader that comes first has to create the shared-memory file of the WAL.
    database = openDatabase(path);
    configure(database, budget);
    database.exec('PRAGMA query_only = ON');
    if (stamp(database) === undefined) {
      throw new LecternError('unavailable', 'The index was made by another version of Lectern.', {
        next: 'Restart Lectern; the index is rebuilt from the notes.',
      });
    }
    // Where pages may be missing the writer begins with another file, of which this reader would never hear.
    if (mayBeTorn(database)) throw noIndex();
    return database;
  } catch (error) {
    database?.close();
    throw indexError(path, error);
  }
}

/**
 * For a first build: more memory, as the thread has nothing else to do, and nothing is synced to disk.
 * Until {@link isOnDisk} has said so, a power cut may tear the file: {@link machineStart} is kept under `pending` in `meta` meanwhile.
 */
export function openBulk(database: Database): void {
  // Sorting the links of a large vault for their indexes takes a hundred megabytes unless it may use a file.
  database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${BULK_CACHE_KIB}; PRAGMA temp_store = FILE`);
}

/** Gives the memory back. */
export function closeBulk(database: Database): void {
  configure(database, WRITER_BUDGET);
  database.exec('PRAGMA shrink_memory');
}

/** True when the machine went down during a first build: then nobody knows which pages are on disk. */
function mayBeTorn(database: Database): boolean {
  const mark = database.prepare("SELECT value FROM meta WHERE key = 'pending'").get()?.value;
  return mark !== undefined && !isThisStart(String(mark));
}

/** Syncs everything to disk. @returns false when readers kept a part from it; try again later */
export function isOnDisk(database: Database): boolean {
  // A checkpoint with nothing to copy would sync nothing.
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('pending', ?)").run(machineStart());
  const done = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  return done?.busy === 0 && done.log === done.checkpointed;
}

/** Whether an index needs not be made anew to be used. */
export function isIndexOfThisVersion(database: Database): boolean {
  return stamp(database) !== undefined && !mayBeTorn(database);
}

/** Removes the index with everything beside it. The notes are untouched. */
export function deleteIndex(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal', '']) rmSync(path + suffix, { force: true });
  rmSync(damageMark(path), { force: true });
}

/**
 * Empties the index in place, so that other processes that have it open see it empty, not gone. They also remember
 * things by its numbers, such as which file a caller may see: none is given out again.
 */
export function resetIndex(database: Database, dialect: Dialect): void {
  // Dropping tables one by one would check every reference between them.
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
      // Who counted changes with the index there was has to notice.
      put.run('epoch', newEpoch());
      put.run('start', machineStart());
    });
  } finally {
    database.exec('PRAGMA foreign_keys = ON');
  }
  mayShrink(database);
}

/** Lets pages that fall free be given back a few at a time ({@link shrink}), which a file with tables learns by `VACUUM` only. */
function mayShrink(database: Database): void {
  if (Number(database.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum) === 2) return;
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
  } catch (error) {
    // Somebody else writes: the file keeps its size until it starts over again.
    if (resultCode(error) !== SQLITE_BUSY) throw error;
  }
}

/** Pages that are given back in one step. */
const SHRINK_PAGES = 128;
/** Fewer free pages than this share of all are left for what is written next. */
const FREE_SHARE = 1 / 32;

/**
 * Gives free pages back, a few milliseconds' worth of them.
 * @param most free pages there may be; by default what is not worth the work
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

/** Per table, up to where its numbers have been given out. */
function usedNumbers(database: Database): readonly Row[] {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get();
  return has === undefined ? [] : database.prepare('SELECT name, seq FROM sqlite_sequence').all();
}

/**
 * What was committed last before the machine went down may be lost, and its numbers given out again for other changes:
 * they are of another epoch from then on. A process that is killed loses nothing.
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

/** Another one for every index, for one that started over, and after the machine did. */
export function epochOf(database: Database): string {
  return String(database.prepare("SELECT value FROM meta WHERE key = 'epoch'").get()?.value);
}

/** The dialect the index is filled in. */
export function dialectOf(database: Database): Dialect {
  return String(database.prepare("SELECT value FROM meta WHERE key = 'dialect'").get()?.value) as Dialect;
}

/**
 * The error a caller gets for one from the database. Damage is remembered beside the file, so that
 * the next start rebuilds it.
 */
export function indexError(path: string, error: unknown): LecternError {
  if (isDamage(error)) {
    try {
      writeFileSync(damageMark(path), '', { mode: 0o600 });
    } catch {
      // The folder cannot be written: the damage will be found again.
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

/** The stamp of an index made by this version, whatever its dialect; undefined for any other. */
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
    // The low byte is the primary code of an extended one.
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
  // Not from the database: a refusal of our own.
  if (error instanceof LecternError && code === undefined) return error;
  if (code === undefined) return new LecternError('internal', 'The index failed.', { cause: error });
  const readOnly = code === SQLITE_READONLY;
  return new LecternError(
    'unavailable',
    readOnly ? `The index ${path} is read-only.` : `The index ${path} cannot be used.`,
    { cause: error, next: 'Check that the state folder exists, is writable and has space left.' },
  );
}
