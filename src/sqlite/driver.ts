import { closeSync, fchmodSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LecternError } from '../errors.ts';

/**
 * The SQLite driver: the part of `node:sqlite` that Lectern uses. The runtime's own module is used where it
 * exists; elsewhere a package with the same interface and prebuilt binaries, so that installing never needs a
 * compiler.
 */
export type SqlValue = null | number | bigint | string | Uint8Array;
export type Row = Record<string, SqlValue>;
/** A row as an array of its columns. */
export type Tuple = readonly SqlValue[];

export interface Statement {
  run(...parameters: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: SqlValue[]): Row | undefined;
  all(...parameters: SqlValue[]): Row[];
  iterate(...parameters: SqlValue[]): IterableIterator<Row>;
}

/** For many rows of few columns: creating an object for each costs as much as finding it. */
export interface TupleStatement {
  all(...parameters: SqlValue[]): Tuple[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  function(
    name: string,
    options: { deterministic?: boolean; varargs?: boolean },
    implementation: (...parameters: SqlValue[]) => SqlValue,
  ): void;
  close(): void;
}

export interface OpenOptions {
  readonly readOnly?: boolean;
  /** How long a statement waits for another process's lock, ms. Default 5000. */
  readonly busyTimeoutMs?: number;
  /** Write-ahead log, the default. Off for a file that is only a lock. */
  readonly wal?: boolean;
}

interface SqliteModule {
  DatabaseSync: new (path: string, options: { readOnly?: boolean }) => Database;
}

let loaded: SqliteModule | undefined;

function load(): SqliteModule {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  loaded = require(builtIn ? 'node:sqlite' : '@photostructure/sqlite') as SqliteModule;
  return loaded;
}

/**
 * Opens (and creates) a database readable by its owner only, in WAL mode by default.
 * @throws LecternError `unavailable` when the file cannot be opened or is not a database
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  let database: Database | undefined;
  const isFile = path !== ':memory:';
  try {
    if (!options.readOnly && isFile) makePrivate(path);
    database = new (load().DatabaseSync)(path, { readOnly: options.readOnly ?? false });
    database.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs ?? 5000}`);
    if (!options.readOnly && options.wal !== false && isFile) database.exec('PRAGMA journal_mode = WAL');
    database.prepare('SELECT count(*) AS n FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database?.close();
    throw new LecternError('unavailable', `The database ${path} cannot be opened.`, {
      cause: error,
      next: 'Check that the state folder is writable; a damaged index may be deleted, it is rebuilt from the notes.',
    });
  }
}

/**
 * The mode is set before anything is written: SQLite gives the WAL files, which contain the newest rows, the
 * database's current mode. The umask does not apply.
 */
function makePrivate(path: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    if (process.platform !== 'win32') fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

/** Runtimes before 22.16 return rows as objects only. */
export function prepareTuples(database: Database, sql: string): TupleStatement {
  const statement: Statement & { setReturnArrays?: (on: boolean) => void } = database.prepare(sql);
  if (statement.setReturnArrays === undefined)
    return { all: (...parameters) => statement.all(...parameters).map((row) => Object.values(row)) };
  statement.setReturnArrays(true);
  return statement as unknown as TupleStatement;
}

/** Runs `work` in one `BEGIN IMMEDIATE` transaction; an error rolls it back and is rethrown. */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
