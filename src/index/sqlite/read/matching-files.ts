import type { FileCondition } from '../../../notes/file-condition.ts';
import type { FileRecord, NoteRecord, PathFilter } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import { NOTE_COLUMNS, noteRecord } from '../write/records.ts';
import { compileCondition } from './condition.ts';
import { marks } from './filter.ts';

/** Ids of the files that a condition lets through, in path order. */
export function matchingIds(
  connection: ReadConnection,
  condition: FileCondition | undefined,
  kinds: readonly FileRecord['kind'][] | undefined,
  visible: PathFilter | undefined,
): readonly number[] {
  const compiled = condition && compileCondition(connection, condition);
  const lead = compiled?.lead;
  const check = compiled?.check(lead !== undefined);
  // A lead is small: sorting what it finds is quicker than to walk all paths in their order.
  const from =
    lead === undefined
      ? 'file f'
      : `(SELECT DISTINCT file FROM (${lead.sql})) l CROSS JOIN file f ON f.id = l.file`;
  const where = [
    ...(check === undefined ? [] : [check.sql]),
    ...(kinds === undefined ? [] : [`f.kind IN (${marks(kinds.length)})`]),
    ...(visible === undefined ? [] : ['visible(f.id)']),
  ];
  // One text is far quicker to take over than a row for each file.
  const row = connection.get(
    `SELECT json_group_array(id) AS ids FROM (
       SELECT f.id FROM ${from} WHERE ${where.length === 0 ? '1' : where.join(' AND ')} ORDER BY f.path)`,
    ...(lead?.parameters ?? []),
    ...(check?.parameters ?? []),
    ...(kinds ?? []),
  );
  return JSON.parse(String(row?.ids ?? '[]')) as number[];
}

/** The files with these ids in their order; one that is gone, or hidden by now, is left out. */
export function filesById(
  connection: ReadConnection,
  ids: readonly number[],
  visible: PathFilter | undefined,
): readonly NoteRecord[] {
  const rows = connection.all(
    `SELECT ${NOTE_COLUMNS} FROM json_each(?) j CROSS JOIN file f ON f.id = j.value LEFT JOIN note n ON n.id = f.id
     ${visible === undefined ? '' : 'WHERE visible(f.id)'} ORDER BY j.key`,
    JSON.stringify(ids),
  );
  return rows.map(noteRecord);
}
