import type { Database, Statement } from '../../../sqlite/driver.ts';
import type { StoreEntry, StoreProblem } from '../../../stores/store.ts';
import { stringList } from '../read/records.ts';
import { propertyRows, tagLineage } from './facts.ts';
import { type KeptLinks, LinkComparison } from './kept-links.ts';
import { type OwnedRow, OwnedRows } from './owned-rows.ts';
import type { FileRows, TextRows } from './rows.ts';
import { tagLineages } from './tags.ts';

/** A file with the rows to store for it. */
export interface FilePut {
  readonly entry: StoreEntry;
  readonly etag: string | undefined;
  readonly problem: StoreProblem | undefined;
  readonly rows: FileRows;
}

/** Data of a removed file that affects other rows. */
export interface Removed {
  /** Its name keys. */
  readonly keys: readonly string[];
  /** Ids of the files it linked to and that linked to it. */
  readonly neighbours: readonly number[];
  /** Tag keys, parents included. */
  readonly tags: readonly string[];
}

/** Data of a stored file that affects other rows. */
export interface Put {
  readonly id: number;
  /** Name keys it gained or lost. */
  readonly keys: readonly string[];
  /** Ids of the files it linked to before. */
  readonly neighbours: readonly number[];
  /** Id of the last link that was kept; its links with higher ids are new. */
  readonly lastKeptLink: number;
  /** undefined when its tags are unchanged. */
  readonly tags:
    | {
        readonly before: readonly string[];
        /** Tag key → spelling; undefined for a tag that is only the parent of one. */
        readonly now: ReadonlyMap<string, string | undefined>;
      }
    | undefined;
}

const ORPHAN = `kind = 'note'
  AND NOT EXISTS (SELECT 1 FROM link WHERE source = file.id AND target IS NOT NULL AND target <> file.id)
  AND NOT EXISTS (SELECT 1 FROM link WHERE target = file.id AND source <> file.id)`;

/** Writes a file and all rows that belong to it. Links are stored unresolved. */
export class FileTable {
  readonly #database: Database;
  readonly #sql: ReturnType<typeof statements>;
  readonly #links: LinkComparison;
  readonly #names: OwnedRows;
  readonly #tags: OwnedRows;
  readonly #properties: OwnedRows;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = statements(database);
    this.#links = new LinkComparison(database);
    this.#names = new OwnedRows(database, 'name', ['key']);
    this.#tags = new OwnedRows(database, 'file_tag', ['key', 'exact', 'name']);
    this.#properties = new OwnedRows(database, 'property', ['key', 'type', 'value']);
  }

  /** Removes a file. @returns undefined when it is not indexed */
  remove(path: string): Removed | undefined {
    const id = this.#idOf(path);
    if (id === undefined) return undefined;
    const had = this.#had(id);
    const removed: Removed = {
      keys: this.#namesOf(id),
      neighbours: [
        ...column(this.#sql.targetsOf.all(id), 'target', Number),
        ...column(this.#sql.sourcesOf.all(id), 'source', Number),
      ],
      tags: [...had.tags.keys()],
    };
    this.#tags.replace(id, tagRows(had.tags), []);
    this.#properties.replace(id, had.properties, []);
    this.#sql.deleteText.run(id);
    this.#sql.deleteFile.run(id);
    this.#sql.changed.delete.run(id);
    this.#sql.changed.gone.run(path);
    return removed;
  }

  /**
   * Deletes the old texts of files and returns the order in which to put them. The full-text index starts a new
   * segment whenever a row id is lower than the last one, or a deletion comes between two rows; therefore all
   * deletions come first, then all rows by ascending id.
   */
  prepare(files: readonly FilePut[]): readonly FilePut[] {
    const ordered = files
      .map((file) => ({ file, id: this.#idOf(file.entry.path) ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.id - b.id);
    for (const { id } of ordered) if (id !== Number.POSITIVE_INFINITY) this.#sql.deleteText.run(id);
    return ordered.map(({ file }) => file);
  }

  /** Stores a file. @param file one that {@link prepare} returned in this transaction */
  put(file: FilePut): Put {
    const { rows, problem } = file;
    const { path } = file.entry;
    const before = this.#idOf(path);
    // A file that is only parsed again is not a change: followers are notified of new bytes only.
    const isSame =
      before !== undefined && this.#sql.same.get(before, file.etag ?? null, file.entry.version) !== undefined;
    const kept = before === undefined ? undefined : this.#links.kept(before, rows.links);
    const had = before === undefined ? NOTHING : this.#had(before);
    const neighbours = before === undefined ? [] : this.#clear(before, kept);
    const id = this.#putFile(file, before);
    if (before === undefined) this.#sql.changed.back.run(path);
    if (!isSame) this.#sql.changed.put.run(id);

    if (problem !== undefined) this.#sql.insertProblem.run(id, problem.code, problem.message);
    if (rows.note !== undefined) this.#sql.insertNote.run(id, ...rows.note);
    if (rows.text !== undefined) this.#putText(id, file.etag, rows.text);
    this.#putLinks(id, rows, kept);
    this.#properties.replace(id, had.properties, rows.properties);
    return {
      id,
      neighbours,
      lastKeptLink: kept?.lastId ?? 0,
      keys: this.#putNames(id, before === undefined ? [] : this.#namesOf(id), rows),
      tags: this.#putTags(id, had.tags, rows),
    };
  }

  /** Stores the name keys of a file. @returns the keys it gained or lost */
  #putNames(id: number, before: readonly string[], { names }: FileRows): readonly string[] {
    const rows = (keys: Iterable<string>) => Array.from(keys, (key) => [key]);
    if (!this.#names.replace(id, rows(before), rows(names))) return [];
    const had = new Set(before);
    return [...[...names].filter((key) => !had.has(key)), ...[...had].filter((key) => !names.has(key))];
  }

  #putTags(id: number, before: Lineages, { tags }: FileRows): Put['tags'] {
    if (!this.#tags.replace(id, tagRows(before), tagRows(tags))) return undefined;
    return { before: [...before.keys()], now: tags };
  }

  /** Computes the orphan flag of these files: true for a note without resolved links to or from other files. */
  markOrphans(ids: Iterable<number>): void {
    for (const id of ids) this.#sql.markOrphan.run(id);
  }

  markAllOrphans(): void {
    this.#database.exec(`UPDATE file SET orphan = (${ORPHAN}) WHERE orphan <> (${ORPHAN})`);
  }

  #namesOf(id: number): readonly string[] {
    return column(this.#sql.namesOf.all(id), 'key', String);
  }

  /** The stored tags and properties of a file, computed from its row of `note`. */
  #had(id: number): Had {
    const note = this.#sql.note.get(id);
    if (note === undefined) return NOTHING;
    return {
      tags: tagLineages(stringList(note.tags), tagLineage),
      properties: propertyRows(String(note.frontmatter)),
    };
  }

  #idOf(path: string): number | undefined {
    const row = this.#sql.idOf.get(path);
    return row === undefined ? undefined : Number(row.id);
  }

  /**
   * Deletes the rows of a file that are written again, except the kept links.
   *
   * @returns ids of the files it linked to
   */
  #clear(id: number, kept: KeptLinks | undefined): readonly number[] {
    const targets = column(this.#sql.targetsOf.all(id), 'target', Number);
    for (const statement of this.#sql.clear) statement.run(id);
    this.#sql.deleteLinks.run(id, kept?.lastId ?? 0);
    return targets;
  }

  #putFile({ entry, etag, rows }: FilePut, before: number | undefined): number {
    const facts = [entry.size, entry.mtimeMs, entry.birthtimeMs, etag ?? null, entry.version];
    if (before !== undefined) {
      this.#sql.updateFile.run(...facts, before);
      // Separate, as SQLite rewrites every index that has a column of an UPDATE, even if the value is
      // unchanged.
      this.#sql.retitle.run(rows.title, rows.titleKey, before);
      return before;
    }
    const { title, titleKey, pathKey, nameKey } = rows;
    const inserted = this.#sql.insertFile.run(
      ...facts,
      entry.kind,
      title,
      titleKey,
      entry.path,
      pathKey,
      nameKey,
    );
    return Number(inserted.lastInsertRowid);
  }

  #putText(id: number, etag: string | undefined, text: TextRows): void {
    this.#sql.insertBody.run(id, etag ?? '', text.body);
    this.#sql.insertText.run(
      id,
      text.titleWords,
      text.aliasWords,
      text.pathWords,
      text.headingWords,
      text.tagWords,
      text.bodyWords,
    );
  }

  #putLinks(id: number, { links, linkKeys }: FileRows, kept: KeptLinks | undefined): void {
    const count = kept?.count ?? 0;
    const ids = links.slice(count).map((link) => this.#sql.insertLink.run(id, ...link).lastInsertRowid);
    for (const [at, key] of linkKeys)
      if (at >= count) this.#sql.insertLinkKey.run(key, ids[at - count] ?? null);
  }
}

type Lineages = FileRows['tags'];

interface Had {
  readonly tags: Lineages;
  readonly properties: readonly OwnedRow[];
}

const NOTHING: Had = { tags: new Map(), properties: [] };

function tagRows(tags: Lineages): OwnedRow[] {
  return Array.from(tags, ([key, name]) => [
    key,
    name === undefined ? 0 : 1,
    name === key ? '' : (name ?? ''),
  ]);
}

function column<T>(rows: readonly Record<string, unknown>[], name: string, as: (value: unknown) => T): T[] {
  return rows.map((row) => as(row[name]));
}

function statements(database: Database) {
  const prepare = (sql: string): Statement => database.prepare(sql);
  return {
    idOf: prepare('SELECT id FROM file WHERE path = ?'),
    targetsOf: prepare('SELECT DISTINCT target FROM link WHERE source = ? AND target IS NOT NULL'),
    sourcesOf: prepare('SELECT DISTINCT source FROM link WHERE target = ?'),
    deleteFile: prepare('DELETE FROM file WHERE id = ?'),
    deleteText: prepare('DELETE FROM fts WHERE rowid = ?'),
    clear: [
      'DELETE FROM problem WHERE file = ?',
      'DELETE FROM note WHERE id = ?',
      'DELETE FROM body WHERE id = ?',
    ].map(prepare),
    deleteLinks: prepare('DELETE FROM link WHERE source = ? AND id > ?'),
    insertFile: prepare(
      `INSERT INTO file (size, mtime, birthtime, etag, version, kind, title, title_key, path, path_key, name_key)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateFile: prepare(
      // The kind follows from the path, which does not change.
      'UPDATE file SET size = ?, mtime = ?, birthtime = ?, etag = ?, version = ? WHERE id = ?',
    ),
    retitle: prepare(
      'UPDATE file SET title = ?1, title_key = ?2 WHERE id = ?3 AND (title, title_key) <> (?1, ?2)',
    ),
    insertProblem: prepare('INSERT INTO problem (file, code, message) VALUES (?, ?, ?)'),
    insertNote: prepare(
      'INSERT INTO note (id, words, tags, aliases, frontmatter, beside) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    insertBody: prepare('INSERT INTO body (id, etag, text) VALUES (?, ?, ?)'),
    insertText: prepare(
      'INSERT INTO fts (rowid, title, alias, path, heading, tag, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    insertLink: prepare(
      `INSERT INTO link (source, key, written, subpath, display, syntax, embed, property, line, start, context)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertLinkKey: prepare('INSERT OR IGNORE INTO link_extra_key (key, link) VALUES (?, ?)'),
    same: prepare('SELECT 1 FROM file WHERE id = ?1 AND etag IS ?2 AND (?2 IS NOT NULL OR version = ?3)'),
    note: prepare('SELECT tags, frontmatter FROM note WHERE id = ?'),
    namesOf: prepare('SELECT key FROM name WHERE file = ?'),
    changed: {
      put: prepare('INSERT OR REPLACE INTO change (file) VALUES (?)'),
      gone: prepare('INSERT OR REPLACE INTO change (path) VALUES (?)'),
      back: prepare('DELETE FROM change WHERE path = ?'),
      delete: prepare('DELETE FROM change WHERE file = ?'),
    },
    markOrphan: prepare(`UPDATE file SET orphan = (${ORPHAN}) WHERE id = ?`),
  };
}
