import { linkedId } from '../../../notes/links/id-links.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { FileRecord, LinkRecord, NoteRecord, StoredNote } from '../../note-index.ts';
import { lineContext } from './facts.ts';

/** Columns of a {@link FileRecord}, `file` being named `f`. */
export const FILE_COLUMNS = 'f.id, f.path, f.kind, f.title, f.size, f.mtime, f.birthtime, f.etag, f.version';
/** Columns of a {@link NoteRecord}; `note` is named `n` and may be missing (LEFT JOIN). */
export const NOTE_COLUMNS = `${FILE_COLUMNS}, n.tags, n.aliases, n.words, n.frontmatter`;

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

export function noteRecord(row: Row): NoteRecord {
  return {
    ...fileRecord(row),
    tags: stringList(row.tags),
    aliases: stringList(row.aliases),
    words: Number(row.words ?? 0),
    frontmatter: typeof row.frontmatter === 'string' ? JSON.parse(row.frontmatter) : {},
  };
}

/** @param row of {@link FILE_COLUMNS} and `beside` */
export function storedNote(row: Row, text: string): StoredNote {
  const beside = typeof row.beside === 'string' ? (JSON.parse(row.beside) as Partial<StoredNote>) : {};
  return { ...fileRecord(row), ...beside, text };
}

const NOTHING: readonly string[] = [];

/** A JSON list of strings as the writer stored it; empty for files without a note. */
export function stringList(value: unknown): readonly string[] {
  if (value === '[]') return NOTHING;
  return typeof value === 'string' ? (JSON.parse(value) as string[]) : [];
}

/** Columns of a {@link LinkRecord}: `link` is `l`, its source file `s`, its target file `t` (may be missing). */
export const LINK_COLUMNS = `l.id, s.path AS source, t.path AS target, l.written, l.subpath, l.display, l.syntax,
  l.embed, l.property, l.line, l.source AS source_id, l.start, l.context, seen_ambiguous(l.id, l.ambiguous) AS ambiguous`;

/**
 * @param textOf the text of a file by id, for the line a link stands in
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
    // Of several files with one id a link leads to none.
    ambiguous: (target !== undefined || byId) && row.ambiguous === 1,
  };
}
