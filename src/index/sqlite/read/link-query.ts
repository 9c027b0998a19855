import type { Row, SqlValue } from '../../../sqlite/driver.ts';
import type { LinkRecord, Page, PageRequest, PathFilter, UnresolvedRecord } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { decodeCursor, pageOfRows } from './cursor.ts';
import { LINK_COLUMNS, linkRecord } from './records.ts';

const EMPTY = { items: [], total: 0, nextCursor: null };
const SOURCES_SHOWN = 5;

/**
 * Links to a file from other files, and from itself by its name, ordered by source path and position. A link
 * within the note (`[[#Heading]]`) is no backlink.
 *
 * @param file id; undefined gives no links
 * @throws LecternError `invalid_input` for a cursor of another query
 */
export function backlinks(
  connection: ReadConnection,
  file: number | undefined,
  page: PageRequest,
): Page<LinkRecord> {
  if (file === undefined) return EMPTY;
  const query = `backlinks ${file}`;
  const { condition, parameters } = linksTo(connection, file, page.visible);
  const sources = sourcesOf(connection, { condition, parameters });
  const total = sources.reduce((sum, { links }) => sum + links, 0);
  const [path = '', id = 0] =
    page.cursor === undefined ? [] : decodeCursor(query, page.cursor, ['string', 'number']);
  // The sources are sorted instead of all links, whose number would determine the time of every page.
  const rows: Row[] = [];
  const from = sources.findIndex((source) => !isBefore(source.path, String(path)));
  for (const source of from < 0 ? [] : sources.slice(from)) {
    const left = page.limit + 1 - rows.length;
    if (left <= 0) break;
    const after = source.path === path ? Number(id) : -1;
    rows.push(
      ...connection.all(
        `${SELECT_LINKS} WHERE l.source = ? AND l.id > ? AND ${condition} ORDER BY l.id LIMIT ?`,
        source.id,
        after,
        ...parameters,
        left,
      ),
    );
  }
  return pageOfRows(
    rows,
    { limit: page.limit, query, total },
    (row) => [String(row.source), Number(row.id)],
    (shown) => linkRecords(connection, shown),
  );
}

/** Paths of the files with such links, in path order. */
export function backlinkSources(
  connection: ReadConnection,
  file: number | undefined,
  visible: PathFilter | undefined,
): readonly string[] {
  return file === undefined
    ? []
    : sourcesOf(connection, linksTo(connection, file, visible)).map(({ path }) => path);
}

function linksTo(
  connection: ReadConnection,
  file: number,
  visible: PathFilter | undefined,
): Pick<LinkQuery, 'condition' | 'parameters'> {
  const toFile =
    visible === undefined
      ? 'l.target = ?'
      : `(l.target = ? OR l.id IN (SELECT value FROM json_each(?)))
         AND seen_target(l.id, l.target) = ? AND visible(l.source)`;
  const parameters = visible === undefined ? [file] : [file, connection.visibleLinks.movedTo(file), file];
  return { condition: `${toFile} AND NOT (l.source = l.target AND l.written = '')`, parameters };
}

interface LinkSource {
  readonly id: number;
  readonly path: string;
  readonly links: number;
}

/** The source files with their number of links, in path order. */
function sourcesOf(
  connection: ReadConnection,
  { condition, parameters }: Pick<LinkQuery, 'condition' | 'parameters'>,
): readonly LinkSource[] {
  return connection
    .all(
      `SELECT s.id, s.path, n FROM (SELECT l.source, count(*) AS n FROM link l WHERE ${condition} GROUP BY l.source)
         JOIN file s ON s.id = source ORDER BY s.path`,
      ...parameters,
    )
    .map((row) => ({ id: Number(row.id), path: String(row.path), links: Number(row.n) }));
}

/** Whether a text precedes another by SQLite's order, that of their UTF-8 bytes. */
function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}

/**
 * The links in a file, in source order, resolved among the files the caller may see.
 *
 * @throws LecternError `invalid_input` for a cursor of another query
 */
export function forwardLinks(
  connection: ReadConnection,
  file: number | undefined,
  page: PageRequest,
): Page<LinkRecord> {
  if (file === undefined) return EMPTY;
  const query = `forward ${file}`;
  const condition = "l.source = ? AND (l.syntax <> 'tag-ref' OR seen_target(l.id, l.target) IS NOT NULL)";
  return linkPage(connection, { query, condition, parameters: [file] }, page);
}

interface LinkQuery {
  /** The query that cursors belong to. */
  readonly query: string;
  /** SQL condition on `link l`. */
  readonly condition: string;
  readonly parameters: readonly SqlValue[];
}

const SELECT_LINKS = `SELECT ${LINK_COLUMNS} FROM link l JOIN file s ON s.id = l.source
  LEFT JOIN file t ON t.id = seen_target(l.id, l.target)`;

/** One page of links, in source order. */
function linkPage(
  connection: ReadConnection,
  { query, condition, parameters }: LinkQuery,
  page: PageRequest,
): Page<LinkRecord> {
  const total = connection.total(query, page.visible, () =>
    Number(connection.get(`SELECT count(*) AS n FROM link l WHERE ${condition}`, ...parameters)?.n),
  );
  const after = page.cursor === undefined ? [] : decodeCursor(query, page.cursor, ['number']);
  const rows = connection.all(
    `${SELECT_LINKS} WHERE ${condition} ${after.length === 0 ? '' : 'AND l.id > ?'} ORDER BY l.id LIMIT ?`,
    ...parameters,
    ...after,
    page.limit + 1,
  );
  return pageOfRows(
    rows,
    { limit: page.limit, query, total },
    (row) => [Number(row.id)],
    (shown) => linkRecords(connection, shown),
  );
}

/**
 * Targets of links that resolve to no file the caller may see, most frequent first. Spellings that differ in
 * case or Unicode form are one target. A Logseq `#tag` without a page is no link.
 *
 * @throws LecternError `invalid_input` for a cursor of another query
 */
export function unresolvedTargets(connection: ReadConnection, page: PageRequest): Page<UnresolvedRecord> {
  const query = 'unresolved';
  const condition = unresolvedCondition(page);
  const name = missingName(page);
  const total = connection.total(query, page.visible, () =>
    Number(connection.get(`SELECT count(DISTINCT ${name}) AS n FROM link l WHERE ${condition}`)?.n),
  );
  const after =
    page.cursor === undefined ? undefined : decodeCursor(query, page.cursor, ['number', 'string']);
  const [count = 0, key = ''] = after ?? [];
  const rows = connection.all(
    `SELECT ${name} AS name, count(*) AS n FROM link l WHERE ${condition} GROUP BY name
     ${after === undefined ? '' : 'HAVING n < ? OR (n = ? AND name > ?)'} ORDER BY n DESC, name LIMIT ?`,
    ...(after === undefined ? [] : [count, count, key]),
    page.limit + 1,
  );
  return pageOfRows(
    rows,
    { limit: page.limit, query, total },
    (row) => [Number(row.n), String(row.name)],
    (shown) =>
      shown.map((row) =>
        unresolvedRecord(connection, `${name} = ? AND ${condition}`, String(row.name), Number(row.n)),
      ),
  );
}

/** SQL condition on `link l`: it is unresolved for the caller. During a first build no link meets it. */
function unresolvedCondition(page: Pick<PageRequest, 'visible'>): string {
  if (page.visible === undefined) return "l.missing IS NOT NULL AND l.syntax <> 'tag-ref'";
  return `(l.missing IS NOT NULL OR l.target IS NOT NULL) AND seen_target(l.id, l.target) IS NULL
    AND l.syntax <> 'tag-ref' AND visible(l.source)`;
}

/**
 * SQL expression of an unresolved link's target; `missing` is stored only for links unresolved for every
 * caller.
 */
function missingName(page: Pick<PageRequest, 'visible'>): string {
  return page.visible === undefined ? 'l.missing' : 'ifnull(l.missing, path_key(l.written))';
}

function linkRecords(connection: ReadConnection, rows: readonly Row[]): LinkRecord[] {
  const texts = new Map<number, string>();
  return rows.map((row) =>
    linkRecord(row, (file) => {
      let text = texts.get(file);
      if (text === undefined) {
        text = connection.textOf(file) ?? '';
        texts.set(file, text);
      }
      return text;
    }),
  );
}

function unresolvedRecord(
  connection: ReadConnection,
  condition: string,
  key: string,
  count: number,
): UnresolvedRecord {
  const places = connection.all(
    `SELECT l.written, s.path, l.line FROM link l JOIN file s ON s.id = l.source
     WHERE ${condition} ORDER BY s.path, l.id LIMIT ${SOURCES_SHOWN}`,
    key,
  );
  return {
    written: String(places[0]?.written ?? key),
    count,
    sources: places.map((place) => ({ path: String(place.path), line: Number(place.line) })),
  };
}
