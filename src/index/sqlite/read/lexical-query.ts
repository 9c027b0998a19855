import type { SqlValue, Tuple } from '../../../sqlite/driver.ts';
import {
  type LexicalHit,
  type LexicalQuery,
  type ListFilter,
  type Page,
  type PageRequest,
  type PathFilter,
  viewOf,
} from '../../note-index.ts';
import type { WordScore } from '../../vector-index.ts';
import type { ReadConnection } from '../connection.ts';
import { FTS_WEIGHTS, matchExpression, WITH_TEXT } from '../write/fts.ts';
import type { Counts } from './counts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { addFilter, Where } from './filter.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';
import { isWide, phrasesOf, type ScoredFile, type WordScores, type WordTotals } from './word-scores.ts';

const EMPTY = { items: [], total: 0, nextCursor: null };

/** The data for ranking a query. */
export interface Ranking {
  readonly connection: ReadConnection;
  readonly known: KnownFiles;
  /** Set when scores are computed outside of FTS5; the postings for it are loaded. */
  readonly apart:
    | {
        readonly scores: WordScores;
        /** Key of the caller's filter; empty when the caller may see everything. */
        readonly key: string;
        /** Totals of the files the caller may see; undefined when the caller may see everything. */
        readonly totals: WordTotals | undefined;
      }
    | undefined;
}

/** The objects that {@link rankingOf} needs. */
export interface RankingParts {
  readonly connection: ReadConnection;
  readonly known: KnownFiles;
  readonly scores: WordScores;
  readonly counts: Counts;
  /** Runs one short step on a snapshot of the index, in its own turn of the event loop. */
  readonly step: <T>(work: () => T) => Promise<T>;
}

/** Loads the data for ranking a query, in short steps so that the event loop is not blocked. */
export async function rankingOf(
  { connection, known, scores, counts, step }: RankingParts,
  query: LexicalQuery,
  visible: PathFilter | undefined,
): Promise<Ranking> {
  const match = matchExpression(query);
  const view = viewOf(visible);
  if (match.kind !== 'match' || (view === undefined && !isWide(match)))
    return { connection, known, apart: undefined };
  const key = view?.key ?? '';
  const totals = view && (await counts.words(view));
  for (const phrase of phrasesOf(match)) {
    const parts = await step(() => scores.stepsFor(phrase, key));
    for (const part of parts) await step(() => scores.load(part, key));
  }
  return { connection, known, apart: { scores, key, totals } };
}

/**
 * A page whose total is a function when counting takes a second FTS5 query, which then runs as its own step.
 */
export interface LexicalPage extends Omit<Page<LexicalHit>, 'total'> {
  readonly total: number | (() => number);
}

/**
 * Notes and canvases by BM25, best first; equal scores in index order, or by path for a caller with a filter.
 * Without positive terms all files that pass the filter and the exclusions, newest first, with score 0.
 *
 * @throws LecternError `invalid_input` for a cursor of another query
 */
export function lexicalHits(
  { connection, known, apart }: Ranking,
  query: LexicalQuery,
  page: PageRequest,
): LexicalPage {
  const match = matchExpression(query);
  if (match.kind === 'nothing') return EMPTY;
  const filter = query.filter ?? {};
  const owner = `lexical ${JSON.stringify([match, filter])}`;
  const where = new Where();
  if (match.kind === 'all') {
    where.add(`f.id IN (SELECT id FROM ${WITH_TEXT})`);
    if (match.excluded !== undefined)
      where.add('f.id NOT IN (SELECT rowid FROM fts WHERE fts MATCH ?)', match.excluded);
    addFilter(connection, where, filter, page.visible, 'f.id', 'f.path');
    if (filter.kinds !== undefined) {
      where.add(`f.kind IN (SELECT value FROM json_each(?))`, JSON.stringify(filter.kinds));
    }
    return newestHits(connection, known, owner, where, page);
  }
  if (apart !== undefined)
    return pageOfRanked(known, rankApart(connection, apart, match, filter, page.visible), owner, page);
  where.add('fts MATCH ?', match.expression);
  // The plus prevents SQLite from querying the full-text table once per id.
  addFilter(connection, where, filter, page.visible, '+fts.rowid', undefined);
  return rankedHits(connection, known, owner, where, page);
}

/** The best of {@link lexicalHits} as ids with scores; none without positive terms. */
export function bestByWords(
  { connection, known, apart }: Ranking,
  query: LexicalQuery,
  limit: number,
  visible: PathFilter | undefined,
): WordScore[] {
  const match = matchExpression(query);
  if (match.kind !== 'match') return [];
  const filter = query.filter ?? {};
  if (apart !== undefined) {
    const ranked = rankApart(connection, apart, match, filter, visible);
    return firstOf(known, ranked, limit).map(({ id, score }) => ({ note: id, score }));
  }
  const where = new Where().add('fts MATCH ?', match.expression);
  addFilter(connection, where, filter, visible, '+fts.rowid', undefined);
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
): LexicalPage {
  const parameters: SqlValue[] = [...where.parameters];
  let best = scored(where);
  if (page.cursor !== undefined) {
    const [score = 0, id = 0] = decodeCursor(owner, page.cursor, ['number', 'number']);
    best = `WITH scored AS MATERIALIZED (${best})
      SELECT id, score FROM scored WHERE score < ? OR (score = ? AND id > ?)`;
    parameters.push(score, score, id);
  }
  const rows = connection.tuples(`${best} ORDER BY score DESC, id LIMIT ?`, ...parameters, page.limit + 1);
  // Counting queries the full-text table again, so it is done only when the page does not hold all hits.
  const isWhole = page.cursor === undefined && rows.length <= page.limit;
  const count = () =>
    Number(connection.get(`SELECT count(*) AS n FROM fts WHERE ${where.sql}`, ...where.parameters)?.n);
  const total = isWhole ? rows.length : () => connection.total(owner, page.visible, count);
  return pageOf(known, rows, total, page.limit, ([id, score]) =>
    encodeCursor(owner, [Number(score), Number(id)]),
  );
}

/** The files ranked outside of FTS5 that pass the filter. */
function rankApart(
  connection: ReadConnection,
  { scores, key, totals }: NonNullable<Ranking['apart']>,
  match: Parameters<WordScores['rank']>[0],
  filter: ListFilter,
  visible: PathFilter | undefined,
): readonly ScoredFile[] {
  const ranked = scores.rank(match, key, totals);
  const where = new Where();
  addFilter(connection, where, filter, visible?.key === key ? undefined : visible, 'j.value', undefined);
  if (where.parameters.length === 0 && where.sql === '1') return ranked;
  const row = connection.get(
    `SELECT json_group_array(j.value) AS ids FROM json_each(?) j WHERE ${where.sql}`,
    JSON.stringify(ranked.map(({ id }) => id)),
    ...where.parameters,
  );
  const passed = new Set(JSON.parse(String(row?.ids ?? '[]')) as number[]);
  return ranked.filter(({ id }) => passed.has(id));
}

/** One page of a complete ranking. */
function pageOfRanked(
  known: KnownFiles,
  ranked: readonly ScoredFile[],
  owner: string,
  page: PageRequest,
): Page<LexicalHit> {
  const [score, path] =
    page.cursor === undefined ? [] : decodeCursor(owner, page.cursor, ['number', 'string']);
  const after = page.cursor === undefined ? undefined : { score: Number(score), path: String(path) };
  const rows = firstOf(known, ranked, page.limit + 1, after).map(({ id, score }) => [id, score]);
  return pageOf(known, rows, ranked.length, page.limit, ([id, score], file) =>
    encodeCursor(owner, [Number(score), file?.path ?? String(id)]),
  );
}

/**
 * The first ranked files after a position; equal scores by path. Only paths of files with equal scores are
 * looked up.
 */
function firstOf(
  known: KnownFiles,
  ranked: readonly ScoredFile[],
  limit: number,
  after?: { readonly score: number; readonly path: string },
): ScoredFile[] {
  const first: ScoredFile[] = [];
  let from = after === undefined ? 0 : ranked.findIndex(({ score }) => score <= after.score);
  while (from >= 0 && from < ranked.length && first.length < limit) {
    const { score } = ranked[from] as ScoredFile;
    let to = from + 1;
    while (ranked[to]?.score === score) to += 1;
    let equals = ranked.slice(from, to);
    if (equals.length > 1 || score === after?.score) {
      const files = known.byId(equals.map(({ id }) => id));
      const pathOf = ({ id }: ScoredFile) => files.get(id)?.path ?? '';
      equals.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
      if (score === after?.score) equals = equals.filter((file) => pathOf(file) > after.path);
    }
    first.push(...equals);
    from = to;
  }
  return first.slice(0, limit);
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
  const after = page.cursor === undefined ? [] : decodeCursor(owner, page.cursor, ['number', 'string']);
  const rows = connection.tuples(
    `SELECT f.id, 0 AS score, f.mtime FROM file f
     WHERE ${where.sql} ${after.length === 0 ? '' : 'AND (f.mtime, f.path) < (?, ?)'}
     ORDER BY f.mtime DESC, f.path DESC LIMIT ?`,
    ...where.parameters,
    ...after,
    page.limit + 1,
  );
  return pageOf(known, rows, total, page.limit, ([id, , mtime], file) =>
    encodeCursor(owner, [Number(mtime), file?.path ?? String(id)]),
  );
}

/** @param rows with id and score first; up to one more than the limit */
function pageOf<Total>(
  known: KnownFiles,
  rows: readonly Tuple[],
  total: Total,
  limit: number,
  cursorAfter: (last: Tuple, file: KnownFile | undefined) => string,
) {
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
    nextCursor:
      rows.length > limit && last !== undefined ? cursorAfter(last, files.get(Number(last[0]))) : null,
  };
}
