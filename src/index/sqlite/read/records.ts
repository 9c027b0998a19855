import { linkedId } from '../../../notes/links/id-links.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { FileRecord, LinkRecord, NoteRecord, StoredNote } from '../../note-index.ts';
import { lineContext } from '../write/facts.ts';

/** The columns of a {@link FileRecord}; `f` is `file`. */
export const FILE_COLUMNS = 'f.id, f.path, f.kind, f.title, f.size, f.mtime, f.birthtime, f.etag, f.version';
/** The columns of a {@link NoteRecord}; `n` is `note`, which may be missing (LEFT JOIN). */
export const NOTE_COLUMNS = `${FILE_COLUMNS}, n.tags, n.aliases, n.words, n.frontmatter`;

/** Converts a row of {@link FILE_COLUMNS}. */
export function fileRecord(row: Row): FileRecord {
  return {
    path: String(row.path),
    kind: String(row.kind) as FileRecord['kind'],
    title: String(row.title),
    size: Number(row.size),
    mtimeMs: Number(row.mtime),
    birthtimeMs: Number(row.birthtime),
    etag: row.etag === null ? undefined : String(row.etag),
    version: String(row.version),
  };
}

/** Converts a row of {@link NOTE_COLUMNS}. */
export function noteRecord(row: Row): NoteRecord {
  return {
    ...fileRecord(row),
    tags: stringList(row.tags),
    aliases: stringList(row.aliases),
    words: Number(row.words ?? 0),
    frontmatter: typeof row.frontmatter === 'string' ? JSON.parse(row.frontmatter) : {},
  };
}

/** Converts a row of {@link FILE_COLUMNS} and `beside`. */
export function storedNote(row: Row, text: string): StoredNote {
  const beside = typeof row.beside === 'string' ? (JSON.parse(row.beside) as Partial<StoredNote>) : {};
  return { ...fileRecord(row), ...beside, text };
}

const NOTHING: readonly string[] = [];

/** Parses a stored JSON array of strings; empty for NULL. */
export function stringList(value: unknown): readonly string[] {
  if (value === '[]') return NOTHING;
  return typeof value === 'string' ? (JSON.parse(value) as string[]) : [];
}

/**
 * The columns of a {@link LinkRecord}; `l` is `link`, `s` its source file, `t` its target file (may be
 * missing).
 */
export const LINK_COLUMNS = `l.id, s.path AS source, t.path AS target, l.written, l.subpath, l.display, l.syntax,
  l.embed, l.property, l.line, l.source AS source_id, l.start, l.context, seen_ambiguous(l.id, l.ambiguous) AS ambiguous`;

/**
 * Converts a row of {@link LINK_COLUMNS}.
 *
 * @param textOf the text of a file by id, from which the link's line is cut
 */
export function linkRecord(row: Row, textOf: (file: number) => string): LinkRecord {
  const target = row.target === null ? undefined : String(row.target);
  const byId = linkedId(String(row.written), row.syntax as LinkRecord['syntax']) !== undefined;
  return {
    source: String(row.source),
    target,
    written: String(row.written),
    subpath: String(row.subpath),
    display: row.display === null ? undefined : String(row.display),
    syntax: String(row.syntax) as LinkRecord['syntax'],
    embed: row.embed === 1,
    property: row.property === null ? undefined : String(row.property),
    line: Number(row.line),
    context:
      row.context === null
        ? lineContext(textOf(Number(row.source_id)), Number(row.start))
        : String(row.context),
    // A link by an id that several files have is ambiguous although it resolves to none.
    ambiguous: (target !== undefined || byId) && row.ambiguous === 1,
  };
}
