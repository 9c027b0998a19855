import { tagKey } from '../../../notes/structure/tags.ts';
import type { Database, Statement } from '../../../sqlite/driver.ts';

interface FirstUse {
  readonly name: string;
  readonly path: string;
}

/** SQL expression of a tag in its note's spelling; `t` is `file_tag`. */
export const TAG_NAME = "iif(t.name = '', t.key, t.name)";

/**
 * Keeps the table of tags with their counts up to date with `file_tag`. A tag has the spelling of the first
 * note by path, so that an updated index equals a rebuilt one.
 */
export class TagTable {
  /** Tag key → its first use among the notes of this batch. */
  readonly #first = new Map<string, FirstUse | undefined>();
  readonly #paths = new Set<string>();
  readonly #count: Statement;
  readonly #get: Statement;
  readonly #firstUse: Statement;
  readonly #put: Statement;
  readonly #delete: Statement;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.#count = database.prepare(
      'SELECT count(*) AS nested, coalesce(sum(exact), 0) AS notes FROM file_tag WHERE key = ?',
    );
    this.#get = database.prepare('SELECT name, first_path FROM tag WHERE key = ?');
    this.#firstUse = database.prepare(
      `SELECT ${TAG_NAME} AS name, f.path FROM file_tag t JOIN file f ON f.id = t.file
       WHERE t.key = ? AND t.exact = 1 ORDER BY f.path LIMIT 1`,
    );
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO tag (key, name, first_path, notes, nested) VALUES (?, ?, ?, ?, ?)',
    );
    this.#delete = database.prepare('DELETE FROM tag WHERE key = ?');
  }

  /** Records that a file and its tags (all keys, parents included) were removed. */
  removed(path: string, keys: Iterable<string>): void {
    this.#paths.add(path);
    for (const key of keys) this.#first.set(key, this.#first.get(key));
  }

  /** Records that a file now has these tags. @param lineage see {@link tagLineages} */
  replaced(
    path: string,
    keysBefore: Iterable<string>,
    lineage: ReadonlyMap<string, string | undefined>,
  ): void {
    this.removed(path, keysBefore);
    for (const [key, name] of lineage) {
      const first = this.#first.get(key);
      const better = name !== undefined && (first === undefined || path <= first.path);
      this.#first.set(key, better ? { name, path } : first);
    }
  }

  forget(): void {
    this.#first.clear();
    this.#paths.clear();
  }

  /** Writes the counts and spellings of the tags recorded since the last call. */
  settle(): void {
    for (const [key, put] of this.#first) {
      const counted = this.#count.get(key);
      const nested = Number(counted?.nested ?? 0);
      const notes = Number(counted?.notes ?? 0);
      if (nested === 0) {
        this.#delete.run(key);
        continue;
      }
      const first = notes === 0 ? undefined : this.#firstOf(key, put);
      this.#put.run(key, first?.name ?? key, first?.path ?? '', notes, nested);
    }
    this.forget();
  }

  /** The first use of a tag: the stored one, unless its note or an earlier one by path has changed. */
  #firstOf(key: string, put: FirstUse | undefined): FirstUse | undefined {
    const stored = this.#get.get(key);
    const path = String(stored?.first_path ?? '');
    if (stored === undefined || path === '' || this.#paths.has(path)) {
      const row = this.#firstUse.get(key);
      return row === undefined ? undefined : { name: String(row.name), path: String(row.path) };
    }
    return put !== undefined && put.path < path ? put : { name: String(stored.name), path };
  }

  /** Recomputes the whole table. */
  settleAll(): void {
    this.forget();
    this.#database.exec(`
      DELETE FROM tag;
      INSERT INTO tag (key, name, first_path, notes, nested)
        SELECT key, key, '', sum(exact), count(*) FROM file_tag GROUP BY key;
    `);
    const put = this.#database.prepare('UPDATE tag SET name = ?, first_path = ? WHERE key = ?');
    const uses = this.#database.prepare(
      // SQLite takes bare columns beside min() from the row with the minimum.
      `SELECT t.key, ${TAG_NAME} AS name, min(f.path) AS path FROM file_tag t JOIN file f ON f.id = t.file
       WHERE t.exact = 1 GROUP BY t.key`,
    );
    for (const row of uses.all()) put.run(String(row.name), String(row.path), String(row.key));
  }
}

/** Tag key → spelling in the file; undefined for a tag that is only the parent of one. */
export function tagLineages(
  tags: readonly string[],
  lineageOf: (key: string) => readonly string[],
): Map<string, string | undefined> {
  const lineage = new Map<string, string | undefined>();
  for (const name of tags) {
    const [own, ...parents] = lineageOf(tagKey(name));
    if (own !== undefined) lineage.set(own, name);
    for (const parent of parents) if (!lineage.has(parent)) lineage.set(parent, undefined);
  }
  return lineage;
}
