import type { Dialect } from '../../../notes/model.ts';
import { type Database, type Statement, transaction } from '../../../sqlite/driver.ts';
import type { StoreEntry, StoreProblem } from '../../../stores/store.ts';
import type { IndexInput } from '../../note-index.ts';
import { machineStart } from '../machine-start.ts';
import {
  closeBulk,
  dialectOf,
  epochOf,
  indexError,
  isOnDisk,
  openBulk,
  openForWriting,
  resetIndex,
  shrink,
} from '../open.ts';
import { DROP_SCATTERED_LINK_INDEXES, DROP_TARGET_INDEXES, LINK_INDEXES } from '../schema.ts';
import { FileTable } from './files.ts';
import { LinkTable } from './links.ts';
import { TextPacking } from './packing.ts';
import { rowsOf } from './rows.ts';
import { TagTable } from './tags.ts';

export interface IndexWriterOptions {
  /** An index of another dialect is emptied. Default: the index's own, or `obsidian` for a new one. */
  readonly dialect?: Dialect;
}

/** FTS5 pages that one maintenance step merges; takes a few milliseconds. */
const TIDY_PAGES = 64;
/** The same after a first build, when there is much to merge. */
const GATHER_PAGES = 256;

/**
 * Opens the index at `path` for writing. It is created when missing, and emptied when it is damaged or of
 * another version. Several processes may write one index: each batch is one transaction, and putting the same
 * file twice has no effect.
 *
 * @throws LecternError `unavailable` when the state folder cannot be written
 */
export function openIndexWriter(path: string, options: IndexWriterOptions = {}): SqliteIndexWriter {
  return new SqliteIndexWriter(path, options.dialect);
}

/** The synchronous writer of the index, for the indexer's worker thread. See {@link NoteIndexWriter}. */
export class SqliteIndexWriter {
  readonly #path: string;
  readonly #database: Database;
  #dialect: Dialect;
  readonly #mark: Statement;
  #files: FileTable;
  #links: LinkTable;
  #tags: TagTable;
  #packing: TextPacking;
  #isShrinking = false;
  #bulk = false;
  /** False while a finished first build is not yet synced to disk. */
  #isSynced = true;
  /** Whether the full-text index still consists of the many segments of a first build. */
  #scattered: 'no' | 'yes' | 'being gathered';

  constructor(path: string, wanted: Dialect | undefined) {
    this.#path = path;
    this.#database = openForWriting(path, wanted);
    const dialect = dialectOf(this.#database);
    this.#dialect = dialect;
    this.#mark = this.#database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('pending', ?)");
    this.#files = new FileTable(this.#database);
    this.#links = new LinkTable(this.#database, dialect);
    this.#tags = new TagTable(this.#database);
    this.#packing = new TextPacking(this.#database);
    this.#scattered = this.#holds('scattered') ? 'yes' : 'no';
    // An interrupted first build left links unresolved and tags uncounted.
    if (this.#holds('pending')) {
      openBulk(this.#database);
      this.endBulk();
    }
  }

  epoch(): string {
    return this.#guard(() => epochOf(this.#database));
  }

  known(): ReadonlyMap<string, { version: string; etag: string | undefined }> {
    return this.#guard(() => {
      const known = new Map<string, { version: string; etag: string | undefined }>();
      for (const row of this.#database.prepare('SELECT path, version, etag FROM file').iterate()) {
        known.set(String(row.path), {
          version: String(row.version),
          etag: row.etag === null ? undefined : String(row.etag),
        });
      }
      return known;
    });
  }

  isComplete(): boolean {
    return this.#holds('complete');
  }

  markComplete(): void {
    if (this.isComplete()) return;
    this.#guard(() =>
      this.#database.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('complete', '')"),
    );
  }

  problems(): readonly StoreProblem[] {
    return this.#guard(() =>
      this.#database
        .prepare('SELECT path, code, message FROM problem JOIN file ON file.id = problem.file ORDER BY path')
        .all()
        .map(({ path, code, message }) => ({
          path: String(path),
          code: String(code) as StoreProblem['code'],
          message: String(message),
        })),
    );
  }

  apply(upserts: readonly IndexInput[], removals: readonly string[]): void {
    this.#guard(() => transaction(this.#database, () => this.#apply(upserts, removals)));
  }

  /**
   * Starts a first build: {@link endBulk} resolves all links and counts all tags once. Until then links have no
   * target. After a crash the next writer does this.
   */
  beginBulk(): void {
    this.#guard(() => {
      transaction(this.#database, () => {
        this.#mark.run(machineStart());
        this.#database.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('scattered', '')");
        if (this.#isEmpty()) this.#database.exec(DROP_SCATTERED_LINK_INDEXES);
      });
      openBulk(this.#database);
    });
    this.#bulk = true;
    this.#scattered = 'yes';
  }

  endBulk(): void {
    this.#bulk = false;
    this.#guard(() => {
      this.#finish();
      closeBulk(this.#database);
    });
    // Syncing to disk, and merging segments for faster searches, is left to idle time.
    this.#isSynced = false;
  }

  /**
   * Finishes a first build of another process. If that process is still building, it does the same again at its
   * end.
   */
  takeOver(): void {
    if (this.#bulk || !this.#isSynced || !this.#holds('pending')) return;
    this.#guard(() => this.#finish());
    this.#isSynced = false;
  }

  /**
   * One short step of maintenance: syncs a first build to disk, merges full-text segments, packs texts, or
   * releases free pages.
   *
   * @returns false when there is nothing to do
   */
  tidy(): boolean {
    return this.#guard(() => {
      if (this.#bulk) return false;
      if (!this.#isSynced) {
        this.#sync();
        return true;
      }
      return this.#gather() || this.#packing.step() || this.#shrink();
    });
  }

  #gather(): boolean {
    if (this.#scattered === 'no') return this.#merge(TIDY_PAGES);
    // A negative number in the first step makes FTS5 merge all segments into one.
    const isMore = this.#merge(this.#scattered === 'yes' ? -GATHER_PAGES : GATHER_PAGES);
    this.#scattered = isMore ? 'being gathered' : 'no';
    if (!isMore) this.#database.exec("DELETE FROM meta WHERE key = 'scattered'");
    return isMore;
  }

  /** Releases free pages: once there are enough to start, all of them, one part per step. */
  #shrink(): boolean {
    this.#isShrinking = shrink(this.#database, this.#isShrinking ? 0 : undefined);
    return this.#isShrinking;
  }

  touch(entries: readonly StoreEntry[]): void {
    const update = this.#database.prepare(
      'UPDATE file SET size = ?, mtime = ?, birthtime = ?, version = ? WHERE path = ?',
    );
    this.#guard(() =>
      transaction(this.#database, () => {
        for (const { size, mtimeMs, birthtimeMs, version, path } of entries) {
          update.run(size, mtimeMs, birthtimeMs, version, path);
        }
      }),
    );
  }

  /**
   * Empties the index for another dialect, which parses the same bytes differently. Call it before
   * {@link known}.
   */
  setDialect(dialect: Dialect): void {
    if (dialect === this.#dialect) return;
    this.#guard(() => {
      resetIndex(this.#database, dialect);
      this.#dialect = dialect;
      this.#files = new FileTable(this.#database);
      this.#links = new LinkTable(this.#database, dialect);
      this.#tags = new TagTable(this.#database);
      this.#packing = new TextPacking(this.#database);
    });
  }

  close(): void {
    try {
      if (!this.#isSynced && !this.#bulk) this.#sync();
      // The driver keeps a connection open until its statements are garbage-collected, so closing does not
      // empty the write-ahead log by itself.
      this.#database.exec('PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another connection is reading: the log stays, and the next start reads it.
    }
    this.#database.close();
  }

  #apply(upserts: readonly IndexInput[], removals: readonly string[]): void {
    this.#links.forget();
    const keys = new Set<string>();
    const neighbours = new Set<number>();
    const changed = new Map<number, number>();
    for (const path of removals) {
      const removed = this.#files.remove(path);
      if (removed === undefined) continue;
      for (const key of removed.keys) keys.add(key);
      for (const id of removed.neighbours) neighbours.add(id);
      this.#tags.removed(path, removed.tags);
    }
    const latest = new Map(upserts.map((upsert) => [upsert.entry.path, upsert]));
    const files = [...latest.values()].map((input) => ({
      entry: input.entry,
      etag: input.etag,
      problem: input.problem,
      rows: rowsOf(input, this.#dialect),
    }));
    for (const file of this.#files.prepare(files)) {
      const put = this.#files.put(file);
      for (const key of put.keys) keys.add(key);
      for (const id of put.neighbours) neighbours.add(id);
      if (put.tags) this.#tags.replaced(file.entry.path, put.tags.before, put.tags.now);
      changed.set(put.id, put.lastKeptLink);
    }
    if (this.#bulk) {
      // Set again, as another process may have finished the build meanwhile and deleted the mark.
      this.#mark.run(machineStart());
      this.#tags.forget();
      return;
    }
    this.#links.resolveKeys(keys, neighbours);
    for (const [id, lastKeptLink] of changed) {
      this.#links.resolveSource(id, lastKeptLink, neighbours);
      neighbours.add(id);
    }
    this.#files.markOrphans(neighbours);
    this.#tags.settle();
  }

  #holds(mark: 'pending' | 'scattered' | 'complete'): boolean {
    return this.#guard(
      () => this.#database.prepare('SELECT 1 FROM meta WHERE key = ?').get(mark) !== undefined,
    );
  }

  #isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM file LIMIT 1').get() === undefined;
  }

  #finish(): void {
    transaction(this.#database, () => {
      this.#links.forget();
      this.#database.exec(DROP_TARGET_INDEXES);
      this.#links.resolveAll();
      this.#database.exec(LINK_INDEXES);
      this.#links.forget();
      this.#files.markAllOrphans();
      this.#tags.settleAll();
    });
  }

  /** Syncs a finished first build to disk; when readers prevent it, the next call tries again. */
  #sync(): void {
    if (!isOnDisk(this.#database)) return;
    this.#database.prepare("DELETE FROM meta WHERE key = 'pending'").run();
    this.#isSynced = true;
  }

  /** Merges full-text segments. @returns false when there was nothing to merge */
  #merge(pages: number): boolean {
    const changes = this.#database.prepare('SELECT total_changes() AS n');
    const before = Number(changes.get()?.n);
    this.#database.prepare("INSERT INTO fts (fts, rank) VALUES ('merge', ?)").run(pages);
    return Number(changes.get()?.n) - before >= 2;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw indexError(this.#path, error);
    }
  }
}
