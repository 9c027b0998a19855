import { type Database, openDatabase, transaction } from '../../sqlite/driver.ts';
import type { NoteRead } from '../assistant.ts';
import type { Generated } from '../language-model.ts';

/** Limits of the cache; the answers that were not used for the longest time are removed first. */
const MAX_ANSWERS = 1000;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_AGE_MS = 30 * 86_400_000;

export interface CacheState {
  readonly answers: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

/** The current version of a note; undefined = it was removed. */
export interface NoteNow {
  readonly path: string;
  readonly etag: string | undefined;
}

/** Answers of models, by a digest of everything they depend on. */
export interface AnswerCache {
  get(key: string): Generated | undefined;
  put(key: string, answer: Generated, notes: readonly NoteRead[]): void;
  /** Removes every answer made from another version of these notes. */
  changed(notes: readonly NoteNow[]): void;
  clear(): void;
  /** The position in a vault's changes up to which {@link changed} was called. */
  followed(vault: string): string | undefined;
  follow(vault: string, place: string): void;
  state(): CacheState;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS answer (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answer_used ON answer (used, bytes);
  CREATE TABLE IF NOT EXISTS came_from (
    path TEXT NOT NULL, etag TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (path, etag, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS came_from_key ON came_from (key);
  CREATE TABLE IF NOT EXISTS followed (vault TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counted (what TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * Opens the SQLite file of answers that all processes with the same state folder share. It may be deleted at
 * any time.
 */
export function openAnswerCache(path: string, now: () => number = Date.now): AnswerCache {
  const database = openDatabase(path);
  database.exec('PRAGMA synchronous = OFF');
  // Removed answers are overwritten with zeros: their notes may have been removed on purpose.
  database.exec('PRAGMA secure_delete = ON');
  database.exec(SCHEMA);
  const count = database.prepare(
    'INSERT INTO counted (what, n) VALUES (?, 1) ON CONFLICT (what) DO UPDATE SET n = n + 1',
  );
  const counted = (what: string) =>
    Number(database.prepare('SELECT n FROM counted WHERE what = ?').get(what)?.n ?? 0);

  function drop(keys: readonly string[]): void {
    for (const key of keys) {
      database.prepare('DELETE FROM answer WHERE key = ?').run(key);
      database.prepare('DELETE FROM came_from WHERE key = ?').run(key);
    }
  }

  return {
    get(key) {
      const row = database.prepare('SELECT value FROM answer WHERE key = ?').get(key);
      transaction(database, () => {
        count.run(row === undefined ? 'misses' : 'hits');
        if (row !== undefined) database.prepare('UPDATE answer SET used = ? WHERE key = ?').run(now(), key);
      });
      return row === undefined ? undefined : (JSON.parse(String(row.value)) as Generated);
    },
    put(key, answer, notes) {
      const value = JSON.stringify(answer);
      const bytes = Buffer.byteLength(value);
      if (bytes > MAX_BYTES / 16) return;
      transaction(database, () => {
        drop([key]);
        database
          .prepare('INSERT INTO answer (key, value, bytes, used) VALUES (?, ?, ?, ?)')
          .run(key, value, bytes, now());
        const from = database.prepare('INSERT OR IGNORE INTO came_from (path, etag, key) VALUES (?, ?, ?)');
        for (const { path: note, etag } of notes) from.run(note, etag, key);
        drop(overdue(database, now()));
      });
    },
    changed(notes) {
      transaction(database, () => {
        const find = database.prepare('SELECT DISTINCT key FROM came_from WHERE path = ? AND etag <> ?');
        for (const { path: note, etag = '' } of notes)
          drop(find.all(note, etag).map(({ key }) => String(key)));
      });
    },
    clear: () =>
      drop(
        database
          .prepare('SELECT key FROM answer')
          .all()
          .map(({ key }) => String(key)),
      ),
    followed(vault) {
      const place = database.prepare('SELECT place FROM followed WHERE vault = ?').get(vault)?.place;
      return place === undefined ? undefined : String(place);
    },
    follow: (vault, place) =>
      void database
        .prepare(
          'INSERT INTO followed (vault, place) VALUES (?, ?) ON CONFLICT (vault) DO UPDATE SET place = excluded.place',
        )
        .run(vault, place),
    state() {
      const row = database
        .prepare('SELECT count(*) AS answers, coalesce(sum(bytes), 0) AS bytes FROM answer')
        .get();
      return {
        answers: Number(row?.answers),
        bytes: Number(row?.bytes),
        hits: counted('hits'),
        misses: counted('misses'),
      };
    },
    close: () => database.close(),
  };
}

/** Keys of the answers that are too old or exceed the limits. */
function overdue(database: Database, now: number): readonly string[] {
  const rows = database.prepare('SELECT key, bytes, used FROM answer ORDER BY used DESC').all();
  let bytes = 0;
  return rows.flatMap((row, at) => {
    bytes += Number(row.bytes);
    const isOver = at >= MAX_ANSWERS || bytes > MAX_BYTES || Number(row.used) < now - MAX_AGE_MS;
    return isOver ? [String(row.key)] : [];
  });
}
