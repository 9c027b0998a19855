import type { SqlValue } from '../../../sqlite/driver.ts';
import type { ListFilter, ListSort, NoteRecord, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { NOTE_COLUMNS, stringList } from '../write/records.ts';
import { compileCondition } from './condition.ts';
import { addFilter, marks, Where } from './filter.ts';
import { orderOf } from './list-query.ts';

const EVERY_KIND = 4;

/** Ids of the files that a filter lets through, in order; notes only unless it names kinds. */
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
): readonly NoteRecord[] {
  const rows = connection.tuples(
    `SELECT ${NOTE_COLUMNS} FROM json_each(?) j CROSS JOIN file f ON f.id = j.value LEFT JOIN note n ON n.id = f.id
     ${visible === undefined ? '' : 'WHERE visible(f.id)'} ORDER BY j.key`,
    JSON.stringify(ids),
  );
  return rows.map((row) => new StoredRecord(row));
}

/** One of thousands: what most queries do not look at is read when it is asked for. */
class StoredRecord implements NoteRecord {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  /** In the order of the columns: id, path, kind, title, size, mtime, birthtime, etag, version, then the note's. */
  readonly #row: readonly SqlValue[];
  #frontmatter: Readonly<Record<string, unknown>> | undefined;

  constructor(row: readonly SqlValue[]) {
    this.#row = row;
    this.path = String(row[1]);
    this.size = Number(row[4]);
    this.mtimeMs = Number(row[5]);
    this.birthtimeMs = Number(row[6]);
  }

  get kind(): NoteRecord['kind'] {
    return String(this.#row[2]) as NoteRecord['kind'];
  }

  get title(): string {
    return String(this.#row[3]);
  }

  get etag(): string | undefined {
    return this.#row[7] === null ? undefined : String(this.#row[7]);
  }

  get version(): string {
    return String(this.#row[8]);
  }

  get tags(): readonly string[] {
    return stringList(this.#row[9]);
  }

  get aliases(): readonly string[] {
    return stringList(this.#row[10]);
  }

  get words(): number {
    return Number(this.#row[11] ?? 0);
  }

  get frontmatter(): Readonly<Record<string, unknown>> {
    const text = this.#row[12];
    this.#frontmatter ??= typeof text === 'string' ? (JSON.parse(text) as Record<string, unknown>) : {};
    return this.#frontmatter;
  }
}
