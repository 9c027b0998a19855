import { LecternError } from '../../../errors.ts';
import { dirName } from '../../../notes/path.ts';
import { tagKey } from '../../../notes/structure/tags.ts';
import type { ListFilter, ListSort, NoteRecord, Page, PageRequest, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { decodeCursor, pageOfRows } from './cursor.ts';
import { addFilter, marks, Where } from './filter.ts';
import { NOTE_COLUMNS, noteRecord } from './records.ts';

interface Order {
  readonly column: string;
  readonly type: 'string' | 'number';
  readonly descending: boolean;
  /** The terms of ORDER BY. */
  readonly by: string;
}

const SORT_COLUMNS: Readonly<Record<string, { column: string; type: 'string' | 'number' }>> = {
  path: { column: 'f.path', type: 'string' },
  mtime: { column: 'f.mtime', type: 'number' },
  ctime: { column: 'f.birthtime', type: 'number' },
  title: { column: 'f.title_key', type: 'string' },
  size: { column: 'f.size', type: 'number' },
};

/**
 * Files that match a filter, notes only unless it names kinds. Equal sort values are in path order.
 *
 * @throws LecternError `invalid_input` for an unknown order, a glob that is too long, or a cursor of another
 *   query
 */
export function listFiles(
  connection: ReadConnection,
  filter: ListFilter,
  sort: ListSort,
  page: PageRequest,
): Page<NoteRecord> {
  const where = new Where();
  const kinds = filter.kinds ?? ['note'];
  addFilter(connection, where, filter, page.visible, 'f.id', 'f.path');
  return pageOfFiles(connection, `list ${JSON.stringify([filter, kinds])}`, { kinds, where }, sort, page);
}

/** Notes with a tag or one nested in it, in path order. */
export function notesWithTag(connection: ReadConnection, tag: string, page: PageRequest): Page<NoteRecord> {
  if (tagKey(tag) === '') return { items: [], total: 0, nextCursor: null };
  return listFiles(connection, { tags: [tag] }, 'path', page);
}

/** Notes without resolved links to or from other files, in path order. */
export function orphanNotes(connection: ReadConnection, page: PageRequest): Page<NoteRecord> {
  const where = new Where();
  if (page.visible === undefined) {
    where.add('f.orphan = 1');
  } else {
    // For this caller links of hidden files do not exist, and some links resolve to other files.
    where
      .add('visible(f.id)')
      .add(
        `NOT EXISTS (SELECT 1 FROM link o WHERE o.source = f.id AND o.target IS NOT NULL
           AND seen_target(o.id, o.target) <> f.id)`,
      )
      .add(
        `NOT EXISTS (SELECT 1 FROM link i WHERE i.target = f.id AND i.source <> f.id
           AND seen_target(i.id, i.target) = f.id AND visible(i.source))`,
      )
      .add('f.id NOT IN (SELECT value FROM json_each(?))', connection.visibleLinks.reached);
  }
  return pageOfFiles(connection, 'orphans', { kinds: ['note'], where }, 'path', page);
}

/** The next files after the path `after`, in path order. */
export function folderRows(
  connection: ReadConnection,
  visible: PathFilter | undefined,
  after: string,
  limit: number,
): readonly { readonly path: string; readonly folder: string; readonly kind: string }[] {
  const where = new Where().add('f.path > ?', after);
  if (visible !== undefined) where.add('visible(f.id)');
  return connection
    .tuples(
      `SELECT f.path, f.kind FROM file f WHERE ${where.sql} ORDER BY f.path LIMIT ?`,
      ...where.parameters,
      limit,
    )
    .map(([path, kind]) => ({ path: String(path), folder: dirName(String(path)), kind: String(kind) }));
}

interface TextBatch {
  readonly notes: readonly { path: string; text: string }[];
  /** The last path read; undefined when none was left. */
  readonly last: string | undefined;
}

/**
 * Texts of the matching notes after the path `after`, in path order.
 *
 * @param limit most notes
 * @param bytes most bytes of notes; the first note is always included
 */
export function textBatch(
  connection: ReadConnection,
  filter: ListFilter,
  visible: PathFilter | undefined,
  after: string,
  limit: number,
  bytes: number,
): TextBatch {
  const where = new Where().add("+f.kind = 'note'").add('f.path > ?', after);
  addFilter(connection, where, filter, visible, 'f.id', 'f.path');
  const rows = connection.all(
    `SELECT f.id, f.path, f.size FROM file f WHERE ${where.sql} ORDER BY f.path LIMIT ?`,
    ...where.parameters,
    limit,
  );
  const notes: { path: string; text: string }[] = [];
  let last: string | undefined;
  let taken = 0;
  for (const row of rows) {
    if (notes.length > 0 && taken + Number(row.size) > bytes) break;
    taken += Number(row.size);
    last = String(row.path);
    const text = connection.textOf(row.id);
    if (text !== undefined) notes.push({ path: last, text });
  }
  return { notes, last };
}

function pageOfFiles(
  connection: ReadConnection,
  query: string,
  { kinds, where }: { readonly kinds: readonly string[]; readonly where: Where },
  sort: ListSort,
  page: PageRequest,
): Page<NoteRecord> {
  const order = orderOf(sort);
  const owner = `${query} ${sort}`;
  const isKind = `f.kind IN (${marks(kinds.length)}) AND ${where.sql}`;
  const parameters = [...kinds, ...where.parameters];
  const total = connection.total(query, page.visible, () =>
    Number(connection.get(`SELECT count(*) AS n FROM file f WHERE ${isKind}`, ...parameters)?.n),
  );
  const byPath = order.column === 'f.path';
  const than = order.descending ? '<' : '>';
  // The plus prevents SQLite from using an index on `kind`, whose rows would have to be sorted by path.
  let from = byPath ? `+${isKind}` : isKind;
  if (page.cursor !== undefined) {
    const position = decodeCursor(owner, page.cursor, byPath ? ['string'] : [order.type, 'string']);
    from += byPath ? ` AND f.path ${than} ?` : ` AND (${order.column}, f.path) ${than} (?, ?)`;
    parameters.push(...position);
  }
  const rows = connection.all(
    `SELECT ${NOTE_COLUMNS}, ${order.column} AS position FROM file f LEFT JOIN note n ON n.id = f.id
     WHERE ${from} ORDER BY ${order.by} LIMIT ?`,
    ...parameters,
    page.limit + 1,
  );
  const placed = order.type === 'number' ? Number : String;
  return pageOfRows(
    rows,
    { limit: page.limit, query: owner, total },
    (row) => (byPath ? [String(row.path)] : [placed(row.position), String(row.path)]),
    (shown) => shown.map(noteRecord),
  );
}

/** The SQL of a sort order. @throws LecternError `invalid_input` for an unknown order */
export function orderOf(sort: ListSort): Order {
  const descending = sort.startsWith('-');
  const order = SORT_COLUMNS[descending ? sort.slice(1) : sort];
  if (order === undefined) {
    throw new LecternError('invalid_input', `There is no order "${sort}".`, {
      next: 'Sort by path, mtime, ctime, title or size, with a leading "-" for descending.',
    });
  }
  const direction = descending ? 'DESC' : 'ASC';
  const behind = order.column === 'f.path' ? '' : `, f.path ${direction}`;
  return { ...order, descending, by: `${order.column} ${direction}${behind}` };
}
