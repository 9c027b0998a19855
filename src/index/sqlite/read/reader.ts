import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turn } from '../../../turn.ts';
import type {
  ChangePoint,
  FileNames,
  FileRecord,
  FolderCount,
  HitSource,
  IndexChanges,
  IndexCounts,
  IndexedText,
  LexicalHit,
  LexicalQuery,
  LinkRecord,
  ListFilter,
  ListSort,
  NoteIndexReader,
  NoteRecord,
  Page,
  PageRequest,
  PathFilter,
  StoredNote,
  TagRecord,
  UnresolvedRecord,
} from '../../note-index.ts';
import { ReadConnection } from '../connection.ts';
import { JOINT } from '../tokens.ts';
import { changesSince } from './change-query.ts';
import { Counts } from './counts.ts';
import { hitSources } from './hit-source.ts';
import { KnownFiles } from './known-files.ts';
import { lexicalHits, type RankingParts, rankingOf } from './lexical-query.ts';
import { backlinkSources, backlinks, forwardLinks, unresolvedTargets } from './link-query.ts';
import { folderRows, listFiles, notesWithTag, orphanNotes, textBatch } from './list-query.ts';
import {
  completePaths,
  fileIds,
  findFile,
  linkSources,
  namesLikeCopies,
  pageNames,
  suggestPaths,
} from './lookup.ts';
import { factsById, filesById, matchingIds } from './matching-files.ts';
import { FILE_COLUMNS, fileRecord, NOTE_COLUMNS, noteRecord, storedNote } from './records.ts';
import { listTags } from './tag-query.ts';
import { WordScores } from './word-scores.ts';

/** Most files and bytes of one batch of a scan. */
const SCAN_FILES = 50;
const SCAN_BYTES = 256 * 1024;
/** Paths read in one step when folders are counted. */
const FOLDER_FILES = 4000;
/** Files of one batch. */
const MATCHING_FILES = 200;

/**
 * Opens the index at `path` for reading. Each answer is computed on the caller's thread in steps of a few
 * milliseconds, each step on one snapshot of the index.
 *
 * @throws LecternError `unavailable` when the writer has not created a usable index yet
 */
export function openIndexReader(path: string): NoteIndexReader {
  return new SqliteIndexReader(path);
}

class SqliteIndexReader implements NoteIndexReader {
  readonly #connection: ReadConnection;
  readonly #counts: Counts;
  readonly #known: KnownFiles;
  readonly #ranking: Omit<RankingParts, 'step'>;
  readonly #turn = new Turn();

  constructor(path: string) {
    this.#connection = new ReadConnection(path);
    this.#counts = new Counts(path);
    this.#known = new KnownFiles(this.#connection);
    this.#ranking = {
      connection: this.#connection,
      known: this.#known,
      counts: this.#counts,
      scores: new WordScores(this.#connection),
    };
  }

  async isComplete(): Promise<boolean> {
    return this.#read(
      undefined,
      (connection) => connection.get("SELECT 1 FROM meta WHERE key = 'complete'") !== undefined,
    );
  }

  async counts(visible?: PathFilter): Promise<IndexCounts> {
    return this.#counts.of(visible);
  }

  async file(path: string): Promise<FileRecord | undefined> {
    return this.#read(undefined, (connection) => {
      const row = findFile(connection, path, FILE_COLUMNS);
      return row === undefined ? undefined : fileRecord(row);
    });
  }

  async note(path: string): Promise<NoteRecord | undefined> {
    return this.#read(undefined, (connection) => {
      const row = findFile(connection, path, NOTE_COLUMNS);
      return row?.kind === 'note' ? noteRecord(row) : undefined;
    });
  }

  async filesNamed(nameKey: string): Promise<readonly string[]> {
    return this.#namesakes(nameKey);
  }

  async names(): Promise<FileNames> {
    return { byName: (key) => this.#namesakes(key) };
  }

  #namesakes(nameKey: string): readonly string[] {
    return this.#readNow(undefined, (connection) =>
      connection
        .all('SELECT path FROM file WHERE name_key = ? ORDER BY path', nameKey)
        .map((row) => String(row.path)),
    );
  }

  async fileIds(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#read(undefined, fileIds);
  }

  async pageNames(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#read(undefined, pageNames);
  }

  async linkSources(paths: readonly string[]): Promise<readonly string[]> {
    return this.#read(undefined, (connection) => linkSources(connection, paths));
  }

  async suggest(path: string, limit: number, visible?: PathFilter): Promise<readonly string[]> {
    return this.#read(visible, (connection) => suggestPaths(connection, path, limit, visible));
  }

  async complete(partial: string, limit: number, visible?: PathFilter): Promise<readonly string[]> {
    return this.#read(visible, (connection) => completePaths(connection, partial, limit, visible));
  }

  async namesLikeCopies(visible?: PathFilter): Promise<readonly string[]> {
    return this.#read(visible, (connection) => namesLikeCopies(connection, visible));
  }

  async list(filter: ListFilter, sort: ListSort, page: PageRequest): Promise<Page<NoteRecord>> {
    return this.#read(page.visible, (connection) => listFiles(connection, filter, sort, page));
  }

  matching(filter: ListFilter, sort: ListSort, visible?: PathFilter) {
    return this.#each(filter, sort, visible, filesById);
  }

  facts(filter: ListFilter, sort: ListSort, visible?: PathFilter) {
    return this.#each(filter, sort, visible, factsById);
  }

  async *#each<T>(
    filter: ListFilter,
    sort: ListSort,
    visible: PathFilter | undefined,
    byId: (connection: ReadConnection, ids: readonly number[], visible?: PathFilter) => readonly T[],
  ): AsyncGenerator<readonly T[]> {
    const ids = await this.#read(visible, (connection) => matchingIds(connection, filter, sort, visible));
    for (let at = 0; at < ids.length; at += MATCHING_FILES) {
      const some = ids.slice(at, at + MATCHING_FILES);
      yield await this.#read(visible, (connection) => byId(connection, some, visible));
    }
  }

  async folders(visible?: PathFilter): Promise<readonly FolderCount[]> {
    const counts = new Map<string, { notes: number; files: number }>();
    for (let after = ''; ; ) {
      const rows = await this.#read(visible, (connection) =>
        folderRows(connection, visible, after, FOLDER_FILES),
      );
      for (const { folder, kind } of rows) {
        const count = counts.get(folder) ?? { notes: 0, files: 0 };
        counts.set(folder, { notes: count.notes + (kind === 'note' ? 1 : 0), files: count.files + 1 });
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < FOLDER_FILES) break;
      after = last.path;
      await nextTurn();
    }
    return [...counts]
      .map(([path, count]) => ({ path, ...count }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async backlinks(path: string, page: PageRequest): Promise<Page<LinkRecord>> {
    return this.#read(page.visible, (connection) => backlinks(connection, this.#idOf(path), page));
  }

  async backlinkSources(path: string, visible?: PathFilter): Promise<readonly string[]> {
    return this.#read(visible, (connection) => backlinkSources(connection, this.#idOf(path), visible));
  }

  async forward(path: string, page: PageRequest): Promise<Page<LinkRecord>> {
    return this.#read(page.visible, (connection) => forwardLinks(connection, this.#idOf(path), page));
  }

  async unresolved(page: PageRequest): Promise<Page<UnresolvedRecord>> {
    return this.#read(page.visible, (connection) => unresolvedTargets(connection, page));
  }

  async orphans(page: PageRequest): Promise<Page<NoteRecord>> {
    return this.#read(page.visible, (connection) => orphanNotes(connection, page));
  }

  async tags(page: PageRequest & { prefix?: string }): Promise<Page<TagRecord>> {
    return this.#read(page.visible, (connection) => listTags(connection, page));
  }

  async tagNotes(tag: string, page: PageRequest): Promise<Page<NoteRecord>> {
    return this.#read(page.visible, (connection) => notesWithTag(connection, tag, page));
  }

  async lexical(query: LexicalQuery, page: PageRequest): Promise<Page<LexicalHit>> {
    const step = <T>(work: () => T) => this.#read(page.visible, work);
    const ranking = await rankingOf({ ...this.#ranking, step }, query, page.visible);
    const { total, ...hits } = await step(() => lexicalHits(ranking, query, page));
    return { ...hits, total: typeof total === 'number' ? total : await step(total) };
  }

  async hitSources(paths: readonly string[]): Promise<ReadonlyMap<string, HitSource>> {
    return this.#read(undefined, (connection) => hitSources(connection, this.#known, paths));
  }

  async loadAhead(): Promise<boolean> {
    return this.#read(undefined, () => this.#known.loadAhead());
  }

  async vocabulary(prefix: string, limit: number): Promise<readonly { word: string; notes: number }[]> {
    return this.#read(undefined, (connection) =>
      connection
        .all(
          `SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? AND instr(term, ?) = 0
           ORDER BY doc DESC, term LIMIT ?`,
          prefix,
          `${prefix}\u{10FFFF}`,
          JOINT,
          limit,
        )
        .map((row) => ({ word: String(row.term), notes: Number(row.doc) })),
    );
  }

  async text(path: string): Promise<IndexedText | undefined> {
    return this.#read(undefined, (connection) => {
      const id = this.#idOf(path);
      if (id === undefined) return undefined;
      const row = connection.get('SELECT etag, packed, text FROM body WHERE id = ?', id);
      const text = connection.texts.textOf(row);
      return text === undefined ? undefined : { text, etag: String(row?.etag) };
    });
  }

  async stored(path: string): Promise<StoredNote | undefined> {
    return this.#read(undefined, (connection) => {
      const row = findFile(connection, path, `${FILE_COLUMNS}, n.beside`);
      if (row?.kind !== 'note') return undefined;
      const body = connection.get('SELECT packed, text FROM body WHERE id = ?', Number(row.id));
      const text = connection.texts.textOf(body);
      return text === undefined ? undefined : storedNote(row, text);
    });
  }

  async *scan(filter: ListFilter, visible?: PathFilter): AsyncGenerator<{ path: string; text: string }> {
    for (let after = ''; ; ) {
      const { notes, last } = await this.#read(visible, (connection) =>
        textBatch(connection, filter, visible, after, SCAN_FILES, SCAN_BYTES),
      );
      if (last === undefined) return;
      yield* notes;
      after = last;
      await nextTurn();
    }
  }

  async changesSince(point: ChangePoint | undefined, limit: number): Promise<IndexChanges> {
    return this.#read(undefined, (connection) => changesSince(connection, point, limit));
  }

  async close(): Promise<void> {
    await this.#counts.close();
    this.#connection.close();
  }

  async #read<T>(visible: PathFilter | undefined, work: (connection: ReadConnection) => T): Promise<T> {
    await this.#turn.mine();
    return this.#readNow(visible, work);
  }

  #readNow<T>(visible: PathFilter | undefined, work: (connection: ReadConnection) => T): T {
    return this.#connection.read(visible, () => work(this.#connection));
  }

  #idOf(path: string): number | undefined {
    const row = findFile(this.#connection, path, 'f.id');
    return row === undefined ? undefined : Number(row.id);
  }
}
