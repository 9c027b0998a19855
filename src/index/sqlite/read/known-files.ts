import type { SqlValue } from '../../../sqlite/driver.ts';
import type { ReadConnection } from '../connection.ts';
import { stringList } from './records.ts';

/** The fields of a file, except its text, for ranking and describing a hit. */
export interface KnownFile {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly mtimeMs: number;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
}

/** Size of the cache, files of a few hundred bytes each. */
const MAX_FILES = 20_000;
/** Most files that are loaded before they are requested, and files per step, which takes about 1 ms. */
const MAX_AHEAD = 10_000;
const AHEAD = 250;
const SELECT =
  'SELECT f.id, f.path, f.title, f.mtime, n.tags, n.aliases FROM file f LEFT JOIN note n ON n.id = f.id';

/**
 * Caches fields of files for one version of the index. Every search needs those of a hundred candidates or
 * more, and reading them from the tables takes as long as the full-text query itself.
 */
export class KnownFiles {
  readonly #connection: ReadConnection;
  readonly #byId = new Map<number, KnownFile>();
  readonly #byPath = new Map<string, KnownFile>();
  #version: number | undefined;
  /** Id of the last file that was loaded ahead. */
  #ahead = 0;

  /** @param connection the methods may be called only inside its `read` */
  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /** Files by id; unknown ids are left out. */
  byId(ids: readonly number[]): ReadonlyMap<number, KnownFile> {
    return this.#known(this.#byId, ids, 'f.id');
  }

  /** Files by exact path; unknown paths are left out. */
  byPath(paths: readonly string[]): ReadonlyMap<string, KnownFile> {
    return this.#known(this.#byPath, paths, 'f.path');
  }

  /**
   * Loads the next files before they are requested.
   *
   * @returns false when there are no more, or the cache has no room for them
   */
  loadAhead(): boolean {
    this.#keepVersion();
    if (this.#byId.size >= MAX_AHEAD) return false;
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
    if (version === this.#version && this.#byId.size <= MAX_FILES) return;
    this.#version = version;
    this.#byId.clear();
    this.#byPath.clear();
    this.#ahead = 0;
  }

  /** @returns the ids of the loaded files */
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
