import type { SqlValue } from '../../../sqlite/driver.ts';
import type { ReadConnection } from '../connection.ts';
import { stringList } from './records.ts';

/** What a hit is ranked and described by, besides its text. */
export interface KnownFile {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly mtimeMs: number;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
}

/** A few hundred bytes each. */
const MOST_FILES = 20_000;
/** Of which at most so many before they are asked for, a few at a time: a step takes a millisecond. */
const MOST_AHEAD = 10_000;
const AHEAD = 250;
const SELECT =
  'SELECT f.id, f.path, f.title, f.mtime, n.tags, n.aliases FROM file f LEFT JOIN note n ON n.id = f.id';

/**
 * Names of files as one version of the index has them. Every search asks for those of a hundred candidates and
 * more, and looking each up in the tables costs as much as finding them in the full-text index.
 */
export class KnownFiles {
  readonly #connection: ReadConnection;
  readonly #byId = new Map<number, KnownFile>();
  readonly #byPath = new Map<string, KnownFile>();
  #version: number | undefined;
  /** The last file that was loaded ahead. */
  #ahead = 0;

  /** @param connection used inside of its `read` only */
  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /** Files by number; those that have gone are left out. */
  byId(ids: readonly number[]): ReadonlyMap<number, KnownFile> {
    return this.#known(this.#byId, ids, 'f.id');
  }

  /** Files by path, as the index spells it; unknown ones are left out. */
  byPath(paths: readonly string[]): ReadonlyMap<string, KnownFile> {
    return this.#known(this.#byPath, paths, 'f.path');
  }

  /**
   * The next files nobody asked for yet.
   * @returns false when there are none, or no room for them
   */
  loadAhead(): boolean {
    this.#keepVersion();
    if (this.#byId.size >= MOST_AHEAD) return false;
    const loaded = this.#load('f.id > ? ORDER BY f.id LIMIT ?', this.#ahead, AHEAD);
    this.#ahead = loaded.at(-1) ?? this.#ahead;
    return loaded.length === AHEAD;
  }

  #known<Key>(files: Map<Key, KnownFile>, keys: readonly Key[], column: string): Map<Key, KnownFile> {
    this.#keepVersion();
    const missing = keys.filter((key) => !files.has(key));
    if (missing.length > 0)
      this.#load(`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(missing));
    const found = new Map<Key, KnownFile>();
    for (const key of keys) {
      const file = files.get(key);
      if (file !== undefined) found.set(key, file);
    }
    return found;
  }

  #keepVersion(): void {
    const version = this.#connection.version();
    if (version === this.#version && this.#byId.size <= MOST_FILES) return;
    this.#version = version;
    this.#byId.clear();
    this.#byPath.clear();
    this.#ahead = 0;
  }

  /** @returns their numbers */
  #load(condition: string, ...parameters: SqlValue[]): number[] {
    const loaded: number[] = [];
    for (const row of this.#connection.all(`${SELECT} WHERE ${condition}`, ...parameters)) {
      const file = {
        id: Number(row.id),
        path: String(row.path),
        title: String(row.title),
        mtimeMs: Number(row.mtime),
        tags: stringList(row.tags),
        aliases: stringList(row.aliases),
      };
      this.#byId.set(file.id, file);
      this.#byPath.set(file.path, file);
      loaded.push(file.id);
    }
    return loaded;
  }
}
