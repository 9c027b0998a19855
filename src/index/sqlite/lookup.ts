import { baseName, nameKey, pathKey } from '../../notes/path.ts';
import type { Row } from '../../sqlite/driver.ts';
import type { PathFilter } from '../note-index.ts';
import type { ReadConnection } from './connection.ts';
import { PAGE_NAME, pathNameKey } from './names.ts';
import { queryForm } from './tokens.ts';

/** A file's row by exact path, else by a path that differs in Unicode form, else in case too. */
export function findFile(connection: ReadConnection, path: string, columns: string): Row | undefined {
  const from = `SELECT ${columns} FROM file f LEFT JOIN note n ON n.id = f.id`;
  const exact = connection.get(`${from} WHERE f.path = ?`, path);
  if (exact !== undefined) return exact;
  const alike = connection.all(`${from} WHERE f.path_key = ? ORDER BY f.path`, pathKey(path));
  const composed = path.normalize('NFC');
  return alike.find((row) => String(row.path).normalize('NFC') === composed) ?? alike[0];
}

const MAX_CANDIDATES = 3000;

/**
 * Notes whose path is near a mistyped one, best first: same name elsewhere, then few edits away.
 * Candidates share the name, its first letters or a word, so that a large vault is not read whole.
 */
export function suggestPaths(
  connection: ReadConnection,
  path: string,
  limit: number,
  visible: PathFilter | undefined,
): string[] {
  const wanted = pathKey(path).replace(/\.md$/, '');
  const name = nameKey(path).replace(/\.md$/, '');
  const found = new Set<string>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) found.add(String(row.path));
  };
  const starting = `SELECT path FROM file WHERE name_key >= ? AND name_key < ? AND kind = 'note' LIMIT ${MAX_CANDIDATES}`;
  for (const head of new Set([name, name.slice(0, 2), name.slice(0, 1)])) {
    if (head !== '' && found.size < MAX_CANDIDATES) add(connection.all(starting, head, `${head}\u{10FFFF}`));
  }
  const words = queryForm(baseName(wanted)).pieces.slice(0, 8);
  if (words.length > 0) {
    const expression = `{title alias path} : (${words.map((word) => `"${word}"`).join(' OR ')})`;
    add(
      connection.all(
        `SELECT f.path FROM fts JOIN file f ON f.id = fts.rowid WHERE fts MATCH ? AND f.kind = 'note' LIMIT 500`,
        expression,
      ),
    );
  }
  return [...found]
    .filter((candidate) => visible === undefined || visible.test(candidate))
    .map((candidate) => ({ candidate, distance: pathDistance(wanted, name, candidate) }))
    .filter(({ distance }) => distance <= 0.5)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** 0 = equal but for case; the share of letters to change in the name, or in the path when that is less. */
function pathDistance(wanted: string, name: string, candidate: string): number {
  const path = pathKey(candidate).replace(/\.md$/, '');
  const own = baseName(path);
  if (path === wanted) return 0;
  if (own === name) return 0.01;
  const byName = editShare(name, own);
  const part = name.length >= 3 && (own.includes(name) || name.includes(own)) ? 0.3 : 1;
  return Math.min(byName, part, editShare(wanted, path));
}

const MAX_COMPARED = 100;

/** Edit distance with swaps of neighbours, divided by the longer length; 1 when lengths differ too much. */
export function editShare(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 0;
  if (longer > MAX_COMPARED || Math.abs(a.length - b.length) > longer / 2) return 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return (last[b.length] ?? longer) / longer;
}

/** Note paths for completion: those that start so, then those whose name does, then those that contain it. */
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
      `SELECT path FROM file WHERE ${condition} AND kind = 'note' ${seen} ORDER BY ${order} LIMIT ?`,
      ...parameters,
      limit,
    );
    for (const row of rows) if (found.size < limit) found.add(String(row.path));
  }
  return [...found];
}

/** Files with a link that shares a name key with one of these paths, whether it resolves there or not. */
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
      key,
      key,
    );
    for (const { path } of rows) sources.add(String(path));
  }
  return [...sources].sort();
}

/** Logseq pages by the key of their `title::` and `alias::`. */
export function pageNames(connection: ReadConnection): Map<string, string[]> {
  const names = new Map<string, string[]>();
  const rows = connection.all(
    'SELECT n.key, f.path FROM name n JOIN file f ON f.id = n.file WHERE n.key >= ? AND n.key < ? ORDER BY n.key, f.path',
    PAGE_NAME,
    `${PAGE_NAME}\u{10FFFF}`,
  );
  for (const row of rows) {
    const key = String(row.key).slice(PAGE_NAME.length);
    const paths = names.get(key);
    if (paths === undefined) names.set(key, [String(row.path)]);
    else paths.push(String(row.path));
  }
  return names;
}
