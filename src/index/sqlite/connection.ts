import type { Dialect } from '../../notes/model.ts';
import { pathKey } from '../../notes/path.ts';
import {
  type Database,
  prepareTuples,
  type SqlValue,
  type Statement,
  type TupleStatement,
} from '../../sqlite/driver.ts';
import { type PathFilter, viewOf } from '../note-index.ts';
import { type Budget, dialectOf, indexError, openForReading } from './open.ts';
import { compileGlob, type PathGlob } from './read/glob.ts';
import { VisibleLinks } from './read/visible-links.ts';
import { StoredTexts } from './text/stored-text.ts';
import { keyNumber } from './write/names.ts';

/** Sizes of the caches, entries. */
const MAX_STATEMENTS = 200;
const MAX_TOTALS = 500;
const MAX_FILTERS = 8;
const MAX_GLOBS = 32;

/** A filter's cached results: per file id 0 = not tested yet, 1 = hidden, 2 = visible. */
interface Verdicts {
  readonly filter: PathFilter;
  seen: Uint8Array;
  /** Valid for one version of the index. */
  links: VisibleLinks | undefined;
}

/**
 * A reading connection. It caches prepared statements by their text and totals until the index changes, reads
 * each answer from one snapshot, and offers the caller's path filter as the SQL function `visible(id)`.
 */
export class ReadConnection {
  readonly texts = new StoredTexts((sql, id) => this.get(sql, id));
  readonly #path: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #tupleStatements = new Map<string, TupleStatement>();
  readonly #totals = new Map<string, number>();
  readonly #verdicts = new Map<string, Verdicts>();
  readonly #globs = new Map<string, PathGlob>();
  readonly #pathOf: Statement;
  readonly #dataVersion: Statement;
  readonly #begin: Statement;
  readonly #commit: Statement;
  #version = -1;
  #current: Verdicts | undefined;
  /** Results of the caller's own filter, which the answer's filter may narrow. */
  #view: Verdicts | undefined;
  #depth = 0;

  constructor(path: string, budget?: Budget) {
    this.#path = path;
    this.#database = openForReading(path, budget);
    this.#pathOf = this.#database.prepare('SELECT path FROM file WHERE id = ?');
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
    this.#database.function('visible', {}, (id) => this.#passes(this.#current, Number(id)));
    this.#database.function('in_view', {}, (id) => this.#passes(this.#view, Number(id)));
    this.#database.function('seen_target', {}, (link, target) =>
      this.#seenTarget(Number(link), target ?? null),
    );
    this.#database.function('seen_ambiguous', {}, (link, ambiguous) =>
      this.#current === undefined
        ? (ambiguous ?? 0)
        : (this.visibleLinks.get(Number(link))?.ambiguous ?? ambiguous ?? 0),
    );
    this.#database.function('path_key', { deterministic: true }, (path) => pathKey(String(path)));
    this.#database.function('key_number', { deterministic: true }, (key) => keyNumber(String(key)));
    this.#database.function('glob_matches', {}, (glob, path) =>
      this.glob(String(glob)).matches(String(path)) ? 1 : 0,
    );
  }

  /** The text of a file by its id; undefined when it has none. */
  textOf(file: SqlValue | undefined): string | undefined {
    return this.texts.textOf(this.get('SELECT packed, text FROM body WHERE id = ?', file ?? null));
  }

  /**
   * Runs `work` on one snapshot of the index, with `visible(id)` for this filter.
   *
   * @throws LecternError `unavailable` or `internal` for an error of the database
   */
  read<T>(filter: PathFilter | undefined, work: () => T): T {
    if (this.#depth > 0) return work();
    try {
      this.#enter(filter);
      try {
        return work();
      } finally {
        this.#leave();
      }
    } catch (error) {
      throw indexError(this.#path, error);
    }
  }

  /** {@link read} for asynchronous work; nothing else may use this connection meanwhile. */
  async readInSteps<T>(filter: PathFilter | undefined, work: () => Promise<T>): Promise<T> {
    try {
      this.#enter(filter);
      try {
        return await work();
      } finally {
        this.#leave();
      }
    } catch (error) {
      throw indexError(this.#path, error);
    }
  }

  /** A number that changes when another connection has written; inside {@link read} that of its snapshot. */
  version(): number {
    return this.#depth > 0 ? this.#version : this.#look();
  }

  all(sql: string, ...parameters: SqlValue[]) {
    return this.#prepared(sql).all(...parameters);
  }

  /** Like {@link all}, with each row as an array of its columns. */
  tuples(sql: string, ...parameters: SqlValue[]) {
    const make = () => prepareTuples(this.#database, sql);
    return cached(this.#tupleStatements, MAX_STATEMENTS, sql, make).all(...parameters);
  }

  get(sql: string, ...parameters: SqlValue[]) {
    return this.#prepared(sql).get(...parameters);
  }

  /** Caches an expensive count until the index changes. @param key identifies the query without its filter */
  total(key: string, filter: PathFilter | undefined, compute: () => number): number {
    const full = filter === undefined ? key : `${filter.key}\0${key}`;
    const known = this.#totals.get(full);
    if (known !== undefined) return known;
    const total = compute();
    if (this.#totals.size >= MAX_TOTALS) this.#totals.clear();
    this.#totals.set(full, total);
    return total;
  }

  /** The links that resolve differently for the current caller, who may not see every file. */
  get visibleLinks(): VisibleLinks {
    const current = this.#current;
    if (current === undefined) throw new Error('Only callers with a filter see other links than are stored.');
    current.links ??= new VisibleLinks(this, this.dialect);
    return current.links;
  }

  /** The dialect by which the indexed notes were parsed. */
  get dialect(): Dialect {
    return dialectOf(this.#database);
  }

  /** Compiles a glob; recent ones are cached. @throws LecternError `invalid_input` when it is too long */
  glob(pattern: string): PathGlob {
    return cached(this.#globs, MAX_GLOBS, pattern, () => compileGlob(pattern));
  }

  close(): void {
    this.#statements.clear();
    this.#tupleStatements.clear();
    this.#database.close();
  }

  #enter(filter: PathFilter | undefined): void {
    this.#begin.run();
    this.#depth = 1;
    try {
      const version = this.#look();
      if (version !== this.#version) {
        this.#totals.clear();
        for (const verdicts of this.#verdicts.values()) verdicts.links = undefined;
      }
      this.#version = version;
      this.#current = this.#verdictsOf(filter);
      const view = viewOf(filter);
      this.#view = view === filter ? this.#current : this.#verdictsOf(view);
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #leave(): void {
    this.#depth = 0;
    this.#current = undefined;
    this.#view = undefined;
    this.#commit.run();
  }

  #look(): number {
    return Number(this.#dataVersion.get()?.data_version);
  }

  #prepared(sql: string): Statement {
    return cached(this.#statements, MAX_STATEMENTS, sql, () => this.#database.prepare(sql));
  }

  /**
   * The cached results of a filter. They stay valid as long as the filter, as an id belongs to one path
   * forever.
   */
  #verdictsOf(filter: PathFilter | undefined): Verdicts | undefined {
    if (filter === undefined) return undefined;
    const make = () => ({ filter, seen: new Uint8Array(1024), links: undefined });
    const verdicts = cached(this.#verdicts, MAX_FILTERS, filter.key, make);
    // Moves the entry to the end, so that filters used once are evicted before a caller's own filter.
    this.#verdicts.delete(filter.key);
    this.#verdicts.set(filter.key, verdicts);
    return verdicts;
  }

  #seenTarget(link: number, target: SqlValue): SqlValue {
    if (this.#current === undefined) return target;
    const resolved = this.visibleLinks.get(link);
    if (resolved !== undefined) return resolved.target;
    return target !== null && this.#passes(this.#current, Number(target)) === 1 ? target : null;
  }

  #passes(verdicts: Verdicts | undefined, id: number): 0 | 1 {
    if (verdicts === undefined) return 1;
    if (id >= verdicts.seen.length) {
      const grown = new Uint8Array(Math.max(id + 1, verdicts.seen.length * 2));
      grown.set(verdicts.seen);
      verdicts.seen = grown;
    }
    const seen = verdicts.seen[id] ?? 0;
    if (seen !== 0) return seen === 2 ? 1 : 0;
    const path = this.#pathOf.get(id)?.path;
    if (typeof path !== 'string') return 0;
    const passes = verdicts.filter.test(path);
    verdicts.seen[id] = passes ? 2 : 1;
    return passes ? 1 : 0;
  }
}

/** The cached value of a key, or else a new one; the oldest entry is evicted when the cache is full. */
function cached<T>(kept: Map<string, T>, most: number, key: string, make: () => T): T {
  let value = kept.get(key);
  if (value === undefined) {
    value = make();
    const oldest = kept.size < most ? undefined : kept.keys().next().value;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(key, value);
  }
  return value;
}
