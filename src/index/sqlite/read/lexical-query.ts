import type { SqlValue, Tuple } from '../../../sqlite/driver.ts';
import type { LexicalHit, LexicalQuery, Page, PageRequest, PathFilter } from '../../note-index.ts';
import type { WordScore } from '../../vector-index.ts';
import type { ReadConnection } from '../connection.ts';
import { FTS_WEIGHTS, matchExpression } from '../write/fts.ts';
import type { KnownFiles } from '../write/known-files.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { addFilter, Where } from './filter.ts';

const EMPTY = { items: [], total: 0, nextCursor: null };

/**
 * Notes and canvases by bm25, best first, equal scores in index order. Without positive terms, all
 * that the filter and the exclusions leave, newest first, with score 0.
 */
export function lexicalHits(
  connection: ReadConnection,
  known: KnownFiles,
  query: LexicalQuery,
  page: PageRequest,
): Page<LexicalHit> {
  const match = matchExpression(query);
  if (match.kind === 'nothing') return EMPTY;
  const filter = query.filter ?? {};
  const owner = `lexical ${JSON.stringify([match, filter])}`;
  const where = new Where();
  if (match.kind === 'all') {
    where.add('f.id IN (SELECT id FROM body)');
    if (match.excluded !== undefined)
      where.add('f.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)', match.excluded);
    addFilter(connection, where, filter, page.visible, 'f.id', 'f.path');
    if (filter.kinds !== undefined) {
      where.add(`f.kind IN (SELECT value FROM json_each(?))`, JSON.stringify(filter.kinds));
    }
    return newestHits(connection, known, owner, where, page);
  }
  where.add('fts MATCH ?', match.expression);
  // The plus keeps SQLite from asking the full-text table once per id instead of once.
  addFilter(connection, where, filter, page.visible, '+fts.rowid', undefined);
  return rankedHits(connection, known, owner, where, page);
}

/** The best of {@link lexicalHits} by number and score alone. Without positive terms there are none. */
export function bestByWords(
  connection: ReadConnection,
  query: LexicalQuery,
  limit: number,
  visible: PathFilter | undefined,
): WordScore[] {
  const match = matchExpression(query);
  if (match.kind !== 'match') return [];
  const where = new Where().add('fts MATCH ?', match.expression);
  addFilter(connection, where, query.filter ?? {}, visible, '+fts.rowid', undefined);
  return connection
    .tuples(`${scored(where)} ORDER BY score DESC, id LIMIT ?`, ...where.parameters, limit)
    .map(([id, score]) => ({ note: Number(id), score: Number(score) }));
}

function scored(where: Where): string {
  return `SELECT rowid AS id, -bm25(fts, ${FTS_WEIGHTS}) AS score FROM fts WHERE ${where.sql}`;
}

function rankedHits(
  connection: ReadConnection,
  known: KnownFiles,
  owner: string,
  where: Where,
  page: PageRequest,
): Page<LexicalHit> {
  const parameters: SqlValue[] = [...where.parameters];
  let best = scored(where);
  if (page.cursor !== undefined) {
    const [score = 0, id = 0] = decodeCursor(owner, page.cursor, ['number', 'number']);
    best = `WITH scored AS MATERIALIZED (${best})
      SELECT id, score FROM scored WHERE score < ? OR (score = ? AND id > ?)`;
    parameters.push(score, score, id);
  }
  const rows = connection.tuples(`${best} ORDER BY score DESC, id LIMIT ?`, ...parameters, page.limit + 1);
  // Counting asks the full-text table a second time: only when the page does not show all there is.
  const isWhole = page.cursor === undefined && rows.length <= page.limit;
  const total = isWhole
    ? rows.length
    : connection.total(owner, page.visible, () =>
        Number(connection.get(`SELECT count(*) AS n FROM fts WHERE ${where.sql}`, ...where.parameters)?.n),
      );
  return pageOf(known, rows, total, page.limit, ([id, score]) =>
    encodeCursor(owner, [Number(score), Number(id)]),
  );
}

function newestHits(
  connection: ReadConnection,
  known: KnownFiles,
  owner: string,
  where: Where,
  page: PageRequest,
): Page<LexicalHit> {
  const total = connection.total(owner, page.visible, () =>
    Number(connection.get(`SELECT count(*) AS n FROM file f WHERE ${where.sql}`, ...where.parameters)?.n),
  );
  const after = page.cursor === undefined ? [] : decodeCursor(owner, page.cursor, ['number', 'number']);
  const rows = connection.tuples(
    `SELECT f.id, 0 AS score, f.mtime FROM file f
     WHERE ${where.sql} ${after.length === 0 ? '' : 'AND (f.mtime, f.id) < (?, ?)'}
     ORDER BY f.mtime DESC, f.id DESC LIMIT ?`,
    ...where.parameters,
    ...after,
    page.limit + 1,
  );
  return pageOf(known, rows, total, page.limit, ([id, , mtime]) =>
    encodeCursor(owner, [Number(mtime), Number(id)]),
  );
}

/** @param rows number and score first, the one behind the page included */
function pageOf(
  known: KnownFiles,
  rows: readonly Tuple[],
  total: number,
  limit: number,
  cursorAfter: (last: Tuple) => string,
): Page<LexicalHit> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const files = known.byId(shown.map(([id]) => Number(id)));
  const items: LexicalHit[] = [];
  for (const [id, score] of shown) {
    const file = files.get(Number(id));
    if (file === undefined) continue;
    const { path, title, aliases, mtimeMs } = file;
    items.push({ path, title, score: Number(score), aliases, mtimeMs });
  }
  return {
    items,
    total,
    nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null,
  };
}
