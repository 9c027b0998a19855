import type { ListFilter, ListSort, MatchingFile, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { stringList } from '../write/records.ts';
import { compileCondition } from './condition.ts';
import { addFilter, marks, Where } from './filter.ts';
import { orderOf } from './list-query.ts';

/** Ids of the files that a filter lets through, in order. */
export function matchingIds(
  connection: ReadConnection,
  { where: condition, ...filter }: ListFilter,
  sort: ListSort,
  visible: PathFilter | undefined,
): readonly number[] {
  const compiled = condition && compileCondition(connection, condition);
  const lead = compiled?.lead;
  const check = compiled?.check(lead !== undefined);
  const where = new Where();
  if (check !== undefined) where.add(check.sql, ...check.parameters);
  if (filter.kinds !== undefined) where.add(`+f.kind IN (${marks(filter.kinds.length)})`, ...filter.kinds);
  addFilter(connection, where, filter, visible, 'f.id', 'f.path');
  // A lead is small: sorting what it finds is quicker than to walk all paths in their order.
  const from =
    lead === undefined
      ? 'file f'
      : `(SELECT DISTINCT file FROM (${lead.sql})) l CROSS JOIN file f ON f.id = l.file`;
  // One text is far quicker to take over than a row for each file.
  const row = connection.get(
    `SELECT json_group_array(id) AS ids FROM (
       SELECT f.id FROM ${from} WHERE ${where.sql} ORDER BY ${orderOf(sort).by})`,
    ...(lead?.parameters ?? []),
    ...where.parameters,
  );
  return JSON.parse(String(row?.ids ?? '[]')) as number[];
}

/** The files with these ids in their order; one that is gone, or hidden by now, is left out. */
export function filesById(
  connection: ReadConnection,
  ids: readonly number[],
  visible: PathFilter | undefined,
): readonly MatchingFile[] {
  const rows = connection.tuples(
    `SELECT f.path, f.size, f.mtime, f.birthtime, n.tags, n.frontmatter
     FROM json_each(?) j CROSS JOIN file f ON f.id = j.value LEFT JOIN note n ON n.id = f.id
     ${visible === undefined ? '' : 'WHERE visible(f.id)'} ORDER BY j.key`,
    JSON.stringify(ids),
  );
  return rows.map((row) => new StoredFile(row as StoredRow));
}

type StoredRow = readonly [
  path: string,
  size: number,
  mtime: number,
  birthtime: number,
  tags: string | null,
  frontmatter: string | null,
];

/** Most queries look at one property of a note, many at none. */
class StoredFile implements MatchingFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  readonly #tags: string | null;
  readonly #frontmatter: string | null;
  #data: Readonly<Record<string, unknown>> | undefined;

  constructor([path, size, mtime, birthtime, tags, frontmatter]: StoredRow) {
    this.path = path;
    this.size = Number(size);
    this.mtimeMs = Number(mtime);
    this.birthtimeMs = Number(birthtime);
    this.#tags = tags;
    this.#frontmatter = frontmatter;
  }

  get tags(): readonly string[] {
    return stringList(this.#tags);
  }

  get frontmatter(): Readonly<Record<string, unknown>> {
    this.#data ??= this.#frontmatter === null ? {} : JSON.parse(this.#frontmatter);
    return this.#data ?? {};
  }
}
