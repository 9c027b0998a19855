import type { Row, SqlValue } from '../../sqlite/driver.ts';
import type { IdKind, NoteIds } from '../note-ids.ts';
import type { Sql } from './statements.ts';

/** `gone` = the step that deleted the note, or {@link LOST}; 0 while it exists. */
export const NOTE_ID_SCHEMA = `
CREATE TABLE IF NOT EXISTS note_id (
  kind TEXT NOT NULL, id TEXT NOT NULL,
  path TEXT NOT NULL,
  time INTEGER NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0,
  trash_path TEXT,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS note_id_path ON note_id(path, kind) WHERE gone = 0;
DROP INDEX IF EXISTS note_id_gone;
CREATE INDEX IF NOT EXISTS note_id_deletion ON note_id(gone) WHERE gone > 0;
CREATE INDEX IF NOT EXISTS note_id_trash ON note_id(trash_path) WHERE trash_path IS NOT NULL;
`;

/** The fate of the note is unknown: no write of Lectern restores it. */
const LOST = -1;

/** The ids of one kind in the journal's database. @param write runs its work in a transaction */
export function noteIds(
  { name, reusable }: IdKind,
  sql: Sql,
  now: () => number,
  write: <T>(work: () => T) => T,
): NoteIds {
  /** Whether the id is free, or has been freed. */
  const isFree = (id: string): boolean => {
    const gone = sql('SELECT gone FROM note_id WHERE kind = ? AND id = ?').get(name, id)?.gone;
    if (gone === undefined) return true;
    if (gone === 0 || !reusable) return false;
    sql('DELETE FROM note_id WHERE kind = ? AND id = ?').run(name, id);
    return true;
  };
  const idAt = (path: string): Row | undefined =>
    sql('SELECT id FROM note_id WHERE kind = ? AND path = ? AND gone = 0').get(name, path);
  const insert = (path: string, id: string) =>
    sql('INSERT INTO note_id(kind, id, path, time) VALUES (?, ?, ?, ?)').run(name, id, path, now());
  return {
    known(paths) {
      const found = new Map<string, string>();
      for (const path of paths) {
        const row = idAt(path);
        if (row !== undefined) found.set(path, String(row.id));
      }
      return found;
    },

    pathOf(id) {
      const row = sql('SELECT path FROM note_id WHERE kind = ? AND id = ? AND gone = 0').get(name, id);
      return row && String(row.path);
    },

    pathsLike(pattern) {
      const escaped = pattern.replace(/[\\%_]/g, '\\$&').replace(/\*+/g, '%');
      return new Set(
        sql("SELECT path FROM note_id WHERE kind = ? AND id LIKE ? ESCAPE '\\' AND gone = 0")
          .all(name, escaped)
          .map((row) => String(row.path)),
      );
    },

    give(ids) {
      const taken = new Set<string>();
      if (ids.size === 0) return taken;
      write(() => {
        for (const [path, id] of ids) {
          if (idAt(path) !== undefined) continue;
          if (isFree(id)) insert(path, id);
          else taken.add(id);
        }
      });
      return taken;
    },

    change(path, id) {
      return write(() => {
        const known = idAt(path);
        if (known?.id === id) return true;
        if (!isFree(id)) return false;
        if (known === undefined) insert(path, id);
        else sql('UPDATE note_id SET id = ? WHERE kind = ? AND id = ?').run(id, name, String(known.id));
        return true;
      });
    },

    lost(path) {
      write(() =>
        sql('UPDATE note_id SET gone = ? WHERE kind = ? AND path = ? AND gone = 0').run(LOST, name, path),
      );
    },
  };
}

/**
 * Applies a step that was just carried out to the ids of all kinds. Call it in the transaction that records
 * the step's outcome, so that ids and notes always agree.
 *
 * @param step its row, with the trashed file's name
 * @param begun when its write was planned: older ids of a target path belong to a file that another program
 *   removed
 */
export function idsFollow(sql: Sql, step: Row, begun: number): void {
  const path = String(step.path);
  const toPath = String(step.to_path ?? '');
  switch (step.action) {
    case 'create':
      sql(`UPDATE note_id SET gone = ${LOST} WHERE path = ? AND gone = 0 AND time < ?`).run(path, begun);
      return;
    case 'move':
      vacate(sql, path, toPath);
      sql('UPDATE note_id SET path = ? WHERE path = ? AND gone = 0').run(toPath, path);
      return;
    case 'move_folder':
      moveBelow(sql, path, toPath);
      return;
    case 'trash':
    case 'trash_on_desktop':
    case 'remove':
      sql('UPDATE note_id SET gone = ?, trash_path = ? WHERE path = ? AND gone = 0').run(
        step.id ?? LOST,
        step.trash_path ?? null,
        path,
      );
      return;
    case 'restore':
      comeBack(sql, step);
      return;
  }
}

/** The target path was free: its ids belong to a file that another program removed. */
function vacate(sql: Sql, source: string, target: string): void {
  if (source !== target)
    sql(
      `UPDATE note_id SET gone = ${LOST} WHERE path = ?2 AND gone = 0
       AND EXISTS (SELECT 1 FROM note_id moved WHERE moved.path = ?1 AND moved.kind = note_id.kind AND moved.gone = 0)`,
    ).run(source, target);
}

function moveBelow(sql: Sql, from: string, to: string): void {
  // '0' follows '/' in character order: the paths in between begin with the folder's name and a slash.
  const below: SqlValue[] = [from, `${from}/`, `${from}0`];
  const rows = sql(
    `SELECT path FROM note_id WHERE gone = 0 AND path = ?1
     UNION SELECT path FROM note_id WHERE gone = 0 AND path >= ?2 AND path < ?3`,
  ).all(...below);
  for (const { path } of rows) {
    const old = String(path);
    const target = to + old.slice(from.length);
    vacate(sql, old, target);
    sql('UPDATE note_id SET path = ? WHERE path = ? AND gone = 0').run(target, old);
  }
}

/**
 * Ids return only with the deletion that is reverted: before it or since, another note may have been at this
 * path. `gone > 0` is always true for a deletion; it lets SQLite use the index.
 */
function comeBack(sql: Sql, step: Row): void {
  const path = String(step.path);
  const gone = deletionOf(sql, step);
  if (gone === undefined) return;
  sql(
    `UPDATE note_id SET gone = ${LOST} WHERE path = ?1 AND gone = 0
     AND kind IN (SELECT kind FROM note_id back WHERE back.gone = ?2 AND back.gone > 0)`,
  ).run(path, gone);
  sql('UPDATE note_id SET gone = 0, trash_path = NULL, path = ? WHERE gone = ? AND gone > 0').run(path, gone);
}

/** The step that deleted what this one restores. */
function deletionOf(
  sql: Sql,
  { id = null, group_id: group = null, path = null, trash_path: trashed = null }: Row,
): SqlValue | undefined {
  const newest = (query: string, ...parameters: SqlValue[]) =>
    sql(query).get(...parameters)?.step ?? undefined;
  if (trashed === null)
    return newest(
      `SELECT max(s.id) AS step FROM step s JOIN undoing u ON u.undone_id = s.group_id
       WHERE u.group_id = ? AND s.path = ? AND s.action IN ('trash', 'trash_on_desktop', 'remove')`,
      group,
      path,
    );
  return (
    newest(
      `SELECT max(id) AS step FROM step
       WHERE trash_path = ? AND id < ? AND action IN ('trash', 'trash_on_desktop')`,
      trashed,
      id,
    ) ??
    // The journal no longer has the step, but still has the id.
    newest('SELECT max(gone) AS step FROM note_id WHERE trash_path = ? AND gone > 0', trashed)
  );
}
