import type { FileCondition } from '../../../notes/file-condition.ts';
import { pathKey } from '../../../notes/path.ts';
import { tagKey } from '../../../notes/structure/tags.ts';
import type { SqlValue } from '../../../sqlite/driver.ts';
import type { ListFilter, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { scalarValue } from '../write/facts.ts';
import { compileCondition } from './condition.ts';

/** A conjunction of SQL conditions with their parameters. */
export class Where {
  readonly #conditions: string[] = [];
  readonly #parameters: SqlValue[] = [];

  add(condition: string, ...parameters: SqlValue[]): this {
    this.#conditions.push(condition);
    this.#parameters.push(...parameters);
    return this;
  }

  get sql(): string {
    return this.#conditions.length === 0 ? '1' : this.#conditions.join(' AND ');
  }

  get parameters(): readonly SqlValue[] {
    return this.#parameters;
  }
}

/** Up to this many files a condition becomes an IN list; for more files it is tested per row. */
const FEW = 2000;
/** Most tags and properties of one filter that are tested. */
const MAX_CONDITIONS = 50;

/**
 * Adds a list filter's conditions. `filter.kinds` is added only when the outer query has no path column.
 *
 * @param ids the SQL expression of the file's id in the outer query
 * @param path that of its path; undefined when the outer query has none
 * @throws LecternError `invalid_input` for a glob that is too long
 */
export function addFilter(
  connection: ReadConnection,
  where: Where,
  filter: ListFilter,
  visible: PathFilter | undefined,
  ids: string,
  path: string | undefined,
): void {
  if (filter.kinds !== undefined && path === undefined) {
    where.add(
      `EXISTS (SELECT 1 FROM file k WHERE k.id = ${ids} AND k.kind IN (${marks(filter.kinds.length)}))`,
      ...filter.kinds,
    );
  }
  for (const tag of (filter.tags ?? []).slice(0, MAX_CONDITIONS)) {
    addSet(connection, where, ids, 'file_tag', 'key = ?', [tagKey(tag)]);
  }
  for (const [name, expected] of Object.entries(filter.frontmatter ?? {}).slice(0, MAX_CONDITIONS)) {
    addProperty(connection, where, ids, pathKey(name), expected);
  }
  if (filter.pathGlob !== undefined) {
    if (path !== undefined) {
      addGlob(connection, where, filter.pathGlob, path);
    } else {
      const inner = new Where().add(`g.id = ${ids}`);
      addGlob(connection, inner, filter.pathGlob, 'g.path');
      where.add(`EXISTS (SELECT 1 FROM file g WHERE ${inner.sql})`, ...inner.parameters);
    }
  }
  if (filter.where !== undefined) addCondition(connection, where, filter.where, ids);
  if (visible !== undefined) where.add(`visible(${ids})`);
}

function addCondition(connection: ReadConnection, where: Where, condition: FileCondition, ids: string): void {
  const { lead, check } = compileCondition(connection, condition);
  if (lead !== undefined) where.add(`${ids} IN (${lead.sql})`, ...lead.parameters);
  const { sql, parameters } = check(lead?.files);
  where.add(`EXISTS (SELECT 1 FROM file f WHERE f.id = ${ids} AND ${sql})`, ...parameters);
}

/** Adds SQL conditions for the literal parts of a glob first; the matcher tests the remaining paths. */
function addGlob(connection: ReadConnection, where: Where, pattern: string, path: string): void {
  const { prefix, part, prefixOnly } = connection.glob(pattern);
  if (prefix !== '') where.add(`${path} >= ? AND ${path} < ?`, prefix, `${prefix}\u{10FFFF}`);
  if (prefixOnly) return;
  if (part !== '') where.add(`instr(${path}, ?) > 0`, part);
  where.add(`glob_matches(?, ${path})`, pattern);
}

function addProperty(
  connection: ReadConnection,
  where: Where,
  ids: string,
  key: string,
  expected: unknown,
): void {
  if (Array.isArray(expected) && expected.length > 0) {
    // For a list the property must contain every element.
    for (const item of expected.slice(0, MAX_CONDITIONS)) addProperty(connection, where, ids, key, item);
    return;
  }
  const { type, value } = scalarValue(expected);
  if (type === 'null' || type === 'json') {
    addSet(connection, where, ids, 'property', 'key = ? AND value = ? AND type = ?', [key, value, type]);
    return;
  }
  // Text, number and boolean are compared by their printed form, as queries do not distinguish `2` and `"2"`.
  addSet(
    connection,
    where,
    ids,
    'property',
    "key = ? AND value = ? AND type IN ('string', 'number', 'boolean')",
    [key, value],
  );
}

/**
 * Adds the condition that the file has a row in `table`: as an IN list for few rows, else as a look-up per
 * file.
 */
function addSet(
  connection: ReadConnection,
  where: Where,
  ids: string,
  table: 'file_tag' | 'property',
  condition: string,
  parameters: readonly SqlValue[],
): void {
  const counted = connection.get(
    `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${condition} LIMIT ${FEW + 1})`,
    ...parameters,
  );
  if (Number(counted?.n ?? 0) <= FEW) {
    where.add(`${ids} IN (SELECT file FROM ${table} WHERE ${condition})`, ...parameters);
  } else {
    where.add(`EXISTS (SELECT 1 FROM ${table} s WHERE ${condition} AND s.file = ${ids})`, ...parameters);
  }
}

/** Placeholders for SQL parameters: `?, ?, ?`. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
