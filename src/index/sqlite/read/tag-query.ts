import { pathKey } from '../../../notes/path.ts';
import type { Page, PageRequest, TagRecord } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { TAG_NAME } from '../write/tags.ts';
import { decodeCursor, pageOfRows } from './cursor.ts';

/**
 * Tags that at least one note has itself, most used first, counting nested tags, then by key. `prefix` is
 * compared with the start of the tag, ignoring case.
 *
 * @throws LecternError `invalid_input` for a cursor of another query
 */
export function listTags(
  connection: ReadConnection,
  page: PageRequest & { prefix?: string },
): Page<TagRecord> {
  const prefix = pathKey((page.prefix ?? '').replace(/^#/, ''));
  const query = `tags ${prefix}`;
  const from = page.visible === undefined ? STORED : VISIBLE;
  const condition = 'key >= ? AND key < ? AND notes > 0';
  const range = [prefix, `${prefix}\u{10FFFF}`];
  const total = connection.total(query, page.visible, () =>
    Number(connection.get(`SELECT count(*) AS n FROM ${from} WHERE ${condition}`, ...range)?.n),
  );
  const after =
    page.cursor === undefined ? undefined : decodeCursor(query, page.cursor, ['number', 'string']);
  const [nested = 0, key = ''] = after ?? [];
  const rows = connection.all(
    `SELECT key, name, notes, nested FROM ${from} WHERE ${condition}
     ${after === undefined ? '' : 'AND (nested < ? OR (nested = ? AND key > ?))'}
     ORDER BY nested DESC, key LIMIT ?`,
    ...range,
    ...(after === undefined ? [] : [nested, nested, key]),
    page.limit + 1,
  );
  return pageOfRows(
    rows,
    { limit: page.limit, query, total },
    (row) => [Number(row.nested), String(row.key)],
    (shown) =>
      shown.map((row) => ({
        tag: page.visible === undefined ? String(row.name) : visibleName(connection, String(row.key)),
        notes: Number(row.notes),
        notesNested: Number(row.nested),
      })),
  );
}

/** Number of tags that {@link listTags} lists without a path filter. */
export function countTags(connection: ReadConnection): number {
  return Number(connection.get(`SELECT count(*) AS n FROM ${STORED} WHERE notes > 0`)?.n);
}

const STORED = 'tag';
const VISIBLE = `(SELECT key, '' AS name, sum(exact) AS notes, count(*) AS nested FROM file_tag
  WHERE visible(file) GROUP BY key)`;

/** The spelling of a tag in the first note by path that the caller may see. */
function visibleName(connection: ReadConnection, key: string): string {
  const row = connection.get(
    `SELECT ${TAG_NAME} AS name, min(f.path) AS path FROM file_tag t JOIN file f ON f.id = t.file
     WHERE t.key = ? AND t.exact = 1 AND visible(t.file)`,
    key,
  );
  return String(row?.name ?? key);
}
