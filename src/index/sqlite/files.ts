import { aliasesOf } from '../../notes/frontmatter.ts';
import type { Dialect, ParsedNote } from '../../notes/model.ts';
import { nameKey, pathKey } from '../../notes/path.ts';
import type { Database, Statement } from '../../sqlite/driver.ts';
import type { IndexInput, LinkRecord } from '../note-index.ts';
import { fileTitle, lineContext, noteTags, propertyValues, tagLineage, wordCount } from './facts.ts';
import { fileKeys, linkKeys } from './names.ts';
import { tagLineages } from './tags.ts';
import { columnForm, indexedForm } from './tokens.ts';

/** What a file stood for before it was removed. */
export interface Removed {
  /** Name keys it answered to. */
  readonly keys: readonly string[];
  /** Files it linked to or that linked to it. */
  readonly neighbours: readonly number[];
  /** Tag keys, parents included. */
  readonly tags: readonly string[];
}

export interface Put {
  readonly id: number;
  /** Name keys it gained or lost. */
  readonly keys: readonly string[];
  /** Files it linked to before. */
  readonly neighbours: readonly number[];
  readonly tagsBefore: readonly string[];
  /** Tag key → spelling, undefined for a tag that is only a parent of one. */
  readonly tags: ReadonlyMap<string, string | undefined>;
}

interface LinkRow extends Omit<LinkRecord, 'source' | 'target' | 'ambiguous' | 'context'> {
  /** Where the link stands in the note's text: its line is cut from there when it is asked for. */
  readonly start: number;
  /** Of links that stand in no text. */
  readonly context: string | undefined;
}

const ORPHAN = `kind = 'note'
  AND NOT EXISTS (SELECT 1 FROM link WHERE source = file.id AND target IS NOT NULL AND target <> file.id)
  AND NOT EXISTS (SELECT 1 FROM link WHERE target = file.id AND source <> file.id)`;

/** Writes one file and everything that belongs to it. Links are stored unresolved. */
export class FileTable {
  readonly #database: Database;
  readonly #dialect: Dialect;
  readonly #sql: ReturnType<typeof statements>;

  constructor(database: Database, dialect: Dialect) {
    this.#database = database;
    this.#dialect = dialect;
    this.#sql = statements(database);
  }

  remove(path: string): Removed | undefined {
    const id = this.#idOf(path);
    if (id === undefined) return undefined;
    const removed: Removed = {
      keys: column(this.#sql.keysOf.all(id), 'key', String),
      neighbours: [
        ...column(this.#sql.targetsOf.all(id), 'target', Number),
        ...column(this.#sql.sourcesOf.all(id), 'source', Number),
      ],
      tags: column(this.#sql.tagsOf.all(id), 'key', String),
    };
    this.#sql.deleteText.run(id);
    this.#sql.deleteFile.run(id);
    this.#sql.change.run(path, 1);
    return removed;
  }

  /**
   * The order in which to put files, and room made for their texts. The full-text index writes a piece of
   * its own whenever a row comes before the last one written, or a deletion between two rows: so first
   * all deletions, then all rows in ascending order.
   */
  prepare(inputs: readonly IndexInput[]): readonly IndexInput[] {
    const ordered = inputs
      .map((input) => ({ input, id: this.#idOf(input.entry.path) ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.id - b.id);
    for (const { id } of ordered) if (id !== Number.POSITIVE_INFINITY) this.#sql.deleteText.run(id);
    return ordered.map(({ input }) => input);
  }

  /** @param input one that was prepared in this transaction */
  put(input: IndexInput): Put {
    const { entry, parsed } = input;
    const { path } = entry;
    const aliases = parsed === undefined ? [] : aliasesOf(parsed.frontmatter);
    const tags = noteTags(entry, parsed);
    const title = fileTitle(entry, parsed);
    const keys = fileKeys(path, this.#dialect, parsed, aliases);
    const before = this.#idOf(path);
    const cleared = before === undefined ? undefined : this.#clear(before);
    const id = this.#putFile(input, title, before);
    this.#sql.change.run(path, 0);

    if (parsed !== undefined) {
      this.#sql.insertNote.run(
        id,
        wordCount(parsed),
        JSON.stringify(tags),
        JSON.stringify(aliases),
        JSON.stringify(parsed.frontmatter?.data ?? {}),
      );
      for (const { key, type, value } of propertyValues(parsed.frontmatter?.data ?? {})) {
        this.#sql.insertProperty.run(key, type, value, id);
      }
    }
    const text = parsed?.text ?? input.text;
    if (text !== undefined) {
      this.#sql.insertBody.run(id, input.etag ?? '', Buffer.from(text));
      this.#putText(id, path, title, aliases, tags, parsed, text);
    }
    const lineages = tagLineages(tags, tagLineage);
    for (const [key, name] of lineages)
      this.#sql.insertTag.run(key, id, name === undefined ? 0 : 1, name ?? '');
    for (const link of linkRows(input)) this.#putLink(id, path, link);
    for (const key of keys) this.#sql.insertName.run(key, id);

    const keysBefore = new Set(cleared?.keys);
    return {
      id,
      keys: [...keys]
        .filter((key) => !keysBefore.has(key))
        .concat([...keysBefore].filter((key) => !keys.has(key))),
      neighbours: cleared?.neighbours ?? [],
      tagsBefore: cleared?.tags ?? [],
      tags: lineages,
    };
  }

  /** Sets the orphan mark of these files: no link to or from another file leads anywhere. */
  markOrphans(ids: Iterable<number>): void {
    for (const id of ids) this.#sql.markOrphan.run(id);
  }

  markAllOrphans(): void {
    this.#database.exec(`UPDATE file SET orphan = (${ORPHAN}) WHERE orphan <> (${ORPHAN})`);
  }

  #idOf(path: string): number | undefined {
    const row = this.#sql.idOf.get(path);
    return row === undefined ? undefined : Number(row.id);
  }

  /** Empties everything about a file but the row that others refer to. */
  #clear(id: number): Removed {
    const cleared: Removed = {
      keys: column(this.#sql.keysOf.all(id), 'key', String),
      neighbours: column(this.#sql.targetsOf.all(id), 'target', Number),
      tags: column(this.#sql.tagsOf.all(id), 'key', String),
    };
    for (const statement of this.#sql.clear) statement.run(id);
    return cleared;
  }

  #putFile({ entry, etag }: IndexInput, title: string, before: number | undefined): number {
    const facts = [
      entry.kind,
      title,
      pathKey(title),
      entry.size,
      entry.mtimeMs,
      entry.birthtimeMs,
      etag ?? null,
      entry.version,
    ];
    if (before !== undefined) {
      this.#sql.updateFile.run(...facts, before);
      return before;
    }
    const { path } = entry;
    return Number(this.#sql.insertFile.run(...facts, path, pathKey(path), nameKey(path)).lastInsertRowid);
  }

  #putText(
    id: number,
    path: string,
    title: string,
    aliases: readonly string[],
    tags: readonly string[],
    parsed: ParsedNote | undefined,
    text: string,
  ): void {
    this.#sql.insertText.run(
      id,
      indexedForm(title),
      columnForm(aliases),
      indexedForm(path.replace(/\.(?:md|canvas)$/i, '')),
      columnForm(parsed?.headings.map((heading) => heading.text) ?? []),
      columnForm(tags),
      indexedForm(text),
    );
  }

  #putLink(id: number, path: string, link: LinkRow): void {
    const [key = '', ...extra] = linkKeys(path, link.written, link.syntax, this.#dialect);
    const { lastInsertRowid } = this.#sql.insertLink.run(
      id,
      key,
      link.written,
      pathKey(link.written),
      link.subpath,
      link.display ?? null,
      link.syntax,
      link.embed ? 1 : 0,
      link.property ?? null,
      link.line,
      link.start,
      link.context ?? null,
    );
    for (const another of extra) this.#sql.insertLinkKey.run(another, lastInsertRowid);
  }
}

/** The links of a file in source order, with the line each stands in. */
function linkRows({ parsed, links }: IndexInput): LinkRow[] {
  const rows: LinkRow[] = (parsed?.links ?? []).map((link) => ({
    written: link.target,
    subpath: link.subpath,
    display: link.display,
    syntax: link.syntax,
    embed: link.embed,
    property: link.property,
    line: link.line,
    start: link.span.start,
    context: undefined,
  }));
  for (const link of links ?? []) {
    rows.push({
      written: link.target,
      subpath: link.subpath,
      display: link.display,
      syntax: 'canvas',
      embed: link.embed,
      property: undefined,
      line: 0,
      start: 0,
      context: lineContext(link.context.slice(0, 1000).replace(/\s+/g, ' '), 0),
    });
  }
  return rows;
}

function column<T>(rows: readonly Record<string, unknown>[], name: string, as: (value: unknown) => T): T[] {
  return rows.map((row) => as(row[name]));
}

function statements(database: Database) {
  const prepare = (sql: string): Statement => database.prepare(sql);
  return {
    idOf: prepare('SELECT id FROM file WHERE path = ?'),
    keysOf: prepare('SELECT key FROM name WHERE file = ?'),
    targetsOf: prepare('SELECT DISTINCT target FROM link WHERE source = ? AND target IS NOT NULL'),
    sourcesOf: prepare('SELECT DISTINCT source FROM link WHERE target = ?'),
    tagsOf: prepare('SELECT key FROM file_tag WHERE file = ?'),
    deleteFile: prepare('DELETE FROM file WHERE id = ?'),
    deleteText: prepare('DELETE FROM fts WHERE rowid = ?'),
    clear: [
      'DELETE FROM note WHERE id = ?',
      'DELETE FROM body WHERE id = ?',
      'DELETE FROM name WHERE file = ?',
      'DELETE FROM link WHERE source = ?',
      'DELETE FROM file_tag WHERE file = ?',
      'DELETE FROM property WHERE file = ?',
    ].map(prepare),
    insertFile: prepare(
      `INSERT INTO file (kind, title, title_key, size, mtime, birthtime, etag, version, path, path_key, name_key)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateFile: prepare(
      `UPDATE file SET kind = ?, title = ?, title_key = ?, size = ?, mtime = ?, birthtime = ?, etag = ?, version = ?
       WHERE id = ?`,
    ),
    insertNote: prepare('INSERT INTO note (id, words, tags, aliases, frontmatter) VALUES (?, ?, ?, ?, ?)'),
    insertBody: prepare('INSERT INTO body (id, etag, text) VALUES (?, ?, ?)'),
    insertText: prepare(
      'INSERT INTO fts (rowid, title, alias, path, heading, tag, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    // Texts that differ only behind a NUL or in half a surrogate pair are equal once stored.
    insertTag: prepare('INSERT OR IGNORE INTO file_tag (key, file, exact, name) VALUES (?, ?, ?, ?)'),
    insertProperty: prepare('INSERT OR IGNORE INTO property (key, type, value, file) VALUES (?, ?, ?, ?)'),
    insertName: prepare('INSERT OR IGNORE INTO name (key, file) VALUES (?, ?)'),
    insertLink: prepare(
      `INSERT INTO link (source, key, written, written_key, subpath, display, syntax, embed, property, line, start, context)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertLinkKey: prepare('INSERT OR IGNORE INTO link_extra_key (key, link) VALUES (?, ?)'),
    change: prepare('INSERT OR REPLACE INTO change (path, removed) VALUES (?, ?)'),
    markOrphan: prepare(`UPDATE file SET orphan = (${ORPHAN}) WHERE id = ?`),
  };
}
