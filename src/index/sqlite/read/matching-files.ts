import type { ListFilter, ListSort, MatchingFile, NoteRecord, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { compileCondition } from './condition.ts';
import { addFilter, marks, Where } from './filter.ts';
import { orderOf } from './list-query.ts';
import { NOTE_COLUMNS, noteRecord, stringList } from './records.ts';

/** Number of kinds of files. */
const EVERY_KIND = 4;

/**
 * Ids of the files that pass a filter, in order; notes only unless it names kinds.
 *
 * @throws LecternError `invalid_input` for an unknown order or a glob that is too long
 */
export function matchingIds(
  connection: ReadConnection,
  { where: condition, ...filter }: ListFilter,
  sort: ListSort,
  visible: PathFilter | undefined,
): readonly number[] {
  const compiled = condition && compileCondition(connection, condition);
  const lead = compiled?.lead;
  const check = compiled?.check(lead?.files);
  const where = new Where();
  if (check !== undefined) where.add(check.sql, ...check.parameters);
  const kinds = new Set(filter.kinds ?? ['note']);
  if (kinds.size < EVERY_KIND) where.add(`+f.kind IN (${marks(kinds.size)})`, ...kinds);
  addFilter(connection, where, filter, visible, 'f.id', 'f.path');
  // A lead is small, so sorting its files is faster than scanning all files in order.
  const from =
    lead === undefined
      ? 'file f'
      : `(SELECT DISTINCT file FROM (${lead.sql})) l CROSS JOIN file f ON f.id = l.file`;
  // Reading one JSON text is much faster than reading a row per file.
  const row = connection.get(
    `SELECT json_group_array(id) AS ids FROM (
       SELECT f.id FROM ${from} WHERE ${where.sql} ORDER BY ${orderOf(sort).by})`,
    ...(lead?.parameters ?? []),
    ...where.parameters,
  );
  return JSON.parse(String(row?.ids ?? '[]')) as number[];
}

/** The files with these ids, in that order; files that were removed or are now hidden are left out. */
export function filesById(
  connection: ReadConnection,
  ids: readonly number[],
  visible?: PathFilter,
): readonly NoteRecord[] {
  return connection.all(...byId(NOTE_COLUMNS, ids, visible)).map(noteRecord);
}

/** The same with fewer fields. */
export function factsById(
  connection: ReadConnection,
  ids: readonly number[],
  visible?: PathFilter,
): readonly MatchingFile[] {
  return connection
    .tuples(...byId(FACT_COLUMNS, ids, visible))
    .map((row) => new StoredFacts(row as unknown as FactRow));
}

function byId(
  columns: string,
  ids: readonly number[],
  visible: PathFilter | undefined,
): readonly [sql: string, ids: string] {
  return [
    `SELECT ${columns} FROM json_each(?) j CROSS JOIN file f ON f.id = j.value LEFT JOIN note n ON n.id = f.id
     ${visible === undefined ? '' : 'WHERE visible(f.id)'} ORDER BY j.key`,
    JSON.stringify(ids),
  ];
}

const FACT_COLUMNS = 'f.path, f.size, f.mtime, f.birthtime, n.tags, n.frontmatter';
type FactRow = readonly [
  path: string,
  size: number,
  mtime: number,
  birthtime: number,
  tags: string | null,
  frontmatter: string | null,
];

/** A file whose tags and properties are parsed on first use, as most queries do not read them. */
class StoredFacts implements MatchingFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  readonly #tags: string | null;
  readonly #text: string | null;
  #frontmatter: Readonly<Record<string, unknown>> | undefined;

  constructor(row: FactRow) {
    this.path = row[0];
    this.size = row[1];
    this.mtimeMs = row[2];
    this.birthtimeMs = row[3];
    this.#tags = row[4];
    this.#text = row[5];
  }

  get tags(): readonly string[] {
    return stringList(this.#tags);
  }

  get frontmatter(): Readonly<Record<string, unknown>> {
    this.#frontmatter ??= this.#text === null ? {} : (JSON.parse(this.#text) as Record<string, unknown>);
    return this.#frontmatter;
  }
}
