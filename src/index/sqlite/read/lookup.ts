import { dirName, nameKey, pathKey } from '../../../notes/path.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { queryForm } from '../tokens.ts';
import { FILE_ID, keyNumber, PAGE_NAME, pathNameKey } from '../write/names.ts';

/** A file's row by exact path, or else by a path that differs in Unicode form, or else also in case. */
export function findFile(connection: ReadConnection, path: string, columns: string): Row | undefined {
  const from = `SELECT ${columns} FROM file f LEFT JOIN note n ON n.id = f.id`;
  const exact = connection.get(`${from} WHERE f.path = ?`, path);
  if (exact !== undefined) return exact;
  const alike = connection.all(`${from} WHERE f.path_key = ? ORDER BY f.path`, pathKey(path));
  const composed = path.normalize('NFC');
  return alike.find((row) => String(row.path).normalize('NFC') === composed) ?? alike[0];
}

/** Most paths whose edit distance is computed. */
const MAX_CANDIDATES = 1000;

/**
 * Paths of notes similar to a mistyped one, by edit distance of the names, then notes of the same folder first.
 * Candidates share the name, its first letters or a word, so that a large vault is not scanned.
 */
export function suggestPaths(
  connection: ReadConnection,
  path: string,
  limit: number,
  visible: PathFilter | undefined,
): string[] {
  const name = nameKey(path).replace(/\.md$/, '');
  // The filter is part of the queries, so that hidden notes do not count as candidates.
  const seen = (id: string): string => (visible === undefined ? '' : `AND visible(${id})`);
  const found = new Map<string, string>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) found.set(String(row.path), String(row.name_key));
  };
  for (const head of new Set([name, name.slice(0, -1), name.slice(0, 4), name.slice(0, 2)])) {
    const left = MAX_CANDIDATES - found.size;
    if (head === '' || left <= 0) continue;
    add(
      connection.all(
        // The plus prevents SQLite from scanning all notes by an index on `kind`.
        `SELECT path, name_key FROM file WHERE name_key >= ? AND name_key < ? AND +kind = 'note' ${seen('id')} LIMIT ?`,
        head,
        `${head}\u{10FFFF}`,
        left,
      ),
    );
  }
  const words = queryForm(name).pieces.slice(0, 8);
  if (words.length > 0) {
    const expression = `{title alias path} : (${words.map((word) => `"${word}"`).join(' OR ')})`;
    add(
      connection.all(
        `SELECT f.path, f.name_key FROM fts JOIN file f ON f.id = fts.rowid
         WHERE fts MATCH ? AND f.kind = 'note' ${seen('f.id')} LIMIT ${MAX_CANDIDATES}`,
        expression,
      ),
    );
  }
  const folder = pathKey(dirName(path));
  const near: { candidate: string; distance: number; moved: boolean }[] = [];
  for (const [candidate, key] of found) {
    const distance = nameDistance(name, key.replace(/\.md$/, ''));
    if (distance < 1) near.push({ candidate, distance, moved: pathKey(dirName(candidate)) !== folder });
  }
  near.sort(
    (a, b) =>
      a.distance - b.distance || Number(a.moved) - Number(b.moved) || (a.candidate < b.candidate ? -1 : 1),
  );
  return near.slice(0, limit).map(({ candidate }) => candidate);
}

/** 0 = equal, up to 0.5 = share of characters to edit, 0.6 = one contains the other, 1 = different. */
function nameDistance(wanted: string, own: string): number {
  if (own === wanted) return 0;
  const longer = Math.max(wanted.length, own.length);
  const allowed = Math.max(1, Math.floor(Math.min(longer, MAX_COMPARED) * 0.4));
  const edits = editDistance(wanted, own, allowed);
  if (edits <= allowed) return Math.min(0.5, edits / longer);
  return wanted.length >= 3 && own.length >= 3 && (own.includes(wanted) || wanted.includes(own)) ? 0.6 : 1;
}

/** Longest name whose edit distance is computed, UTF-16 code units. */
const MAX_COMPARED = 60;
/** Three rows of the distance matrix, reused by every comparison. */
const ROWS = [0, 1, 2].map(() => new Uint16Array(MAX_COMPARED + 2)) as [
  Uint16Array,
  Uint16Array,
  Uint16Array,
];

/**
 * The optimal string alignment distance of two texts: insertions, deletions, substitutions and swaps of
 * neighbours. A distance above `limit` is returned as `limit + 1`; only a diagonal band of that width is
 * computed.
 */
function editDistance(a: string, b: string, limit: number): number {
  const over = limit + 1;
  if (a.length > MAX_COMPARED || b.length > MAX_COMPARED || Math.abs(a.length - b.length) > limit)
    return over;
  let [earlier, previous, current] = ROWS;
  for (let j = 0; j <= b.length; j += 1) previous[j] = Math.min(j, over);
  for (let i = 1; i <= a.length; i += 1) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    current[from - 1] = from === 1 ? Math.min(i, over) : over;
    let least = current[from - 1] ?? over;
    for (let j = from; j <= to; j += 1) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = (previous[j - 1] ?? over) + (same ? 0 : 1);
      cost = Math.min(cost, (current[j - 1] ?? over) + 1);
      if (j < i + limit) cost = Math.min(cost, (previous[j] ?? over) + 1);
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) cost = Math.min(cost, (earlier[j - 2] ?? over) + 1);
      current[j] = cost;
      least = Math.min(least, cost);
    }
    if (least > limit) return over;
    [earlier, previous, current] = [previous, current, earlier];
  }
  return Math.min(previous[b.length] ?? over, over);
}

/**
 * Note paths for completion: paths that start with `partial`, then names that do, then paths that contain it.
 */
export function completePaths(
  connection: ReadConnection,
  partial: string,
  limit: number,
  visible: PathFilter | undefined,
): string[] {
  const key = pathKey(partial);
  const end = `${key}\u{10FFFF}`;
  const seen = visible === undefined ? '' : 'AND visible(id)';
  const found = new Set<string>();
  const queries: [string, ...string[]][] = [
    ['path_key >= ? AND path_key < ?', key, end],
    ['name_key >= ? AND name_key < ?', key, end],
    ['instr(path_key, ?) > 0', key],
  ];
  for (const [index, [condition, ...parameters]] of queries.entries()) {
    if (found.size >= limit) break;
    const order = ['path_key', 'name_key, path', 'path_key'][index];
    const rows = connection.all(
      `SELECT path FROM file WHERE ${condition} AND +kind = 'note' ${seen} ORDER BY ${order} LIMIT ?`,
      ...parameters,
      limit,
    );
    for (const row of rows) if (found.size < limit) found.add(String(row.path));
  }
  return [...found];
}

/** Paths of the files with a link that shares a name key with one of these paths, resolved or not. */
export function linkSources(connection: ReadConnection, paths: readonly string[]): string[] {
  const keys = new Set(paths.map(pathNameKey));
  for (const path of paths) {
    const names = connection.all(
      'SELECT n.key FROM name n JOIN file f ON f.id = n.file WHERE f.path = ?',
      path,
    );
    for (const { key } of names) keys.add(String(key));
  }
  const sources = new Set<string>();
  for (const key of keys) {
    const rows = connection.all(
      `SELECT DISTINCT f.path FROM (
         SELECT source FROM link WHERE key = ?
         UNION SELECT l.source FROM link_extra_key k JOIN link l ON l.id = k.link WHERE k.key = ?
       ) s JOIN file f ON f.id = s.source`,
      keyNumber(key),
      keyNumber(key),
    );
    for (const { path } of rows) sources.add(String(path));
  }
  return [...sources].sort();
}

/** See {@link NoteIndexReader.pageNames}. */
export function pageNames(connection: ReadConnection): Map<string, string[]> {
  return filesByKey(connection, PAGE_NAME);
}

/** See {@link NoteIndexReader.fileIds}. */
export function fileIds(connection: ReadConnection): Map<string, string[]> {
  return filesByKey(connection, FILE_ID);
}

function filesByKey(connection: ReadConnection, prefix: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const rows = connection.all(
    'SELECT n.key, f.path FROM name n JOIN file f ON f.id = n.file WHERE n.key >= ? AND n.key < ? ORDER BY n.key, f.path',
    prefix,
    `${prefix}\u{10FFFF}`,
  );
  for (const row of rows) {
    const key = String(row.key).slice(prefix.length);
    const paths = names.get(key);
    if (paths === undefined) names.set(key, [String(row.path)]);
    else paths.push(String(row.path));
  }
  return names;
}

/** See {@link NoteIndexReader.namesLikeCopies}. */
export function namesLikeCopies(connection: ReadConnection, visible: PathFilter | undefined): string[] {
  const seen = visible === undefined ? '' : 'AND visible(id)';
  return connection
    .all(
      `SELECT path FROM file WHERE kind IN ('note', 'canvas') AND (
         path LIKE '%conf%' OR path GLOB '* [0-9].*' OR path GLOB '* [0-9][0-9].*' OR path GLOB '*([0-9]).*'
         OR path GLOB '*([0-9][0-9]).*' OR path GLOB '*-[A-Za-z]*') ${seen} ORDER BY path`,
    )
    .map(({ path }) => String(path));
}
