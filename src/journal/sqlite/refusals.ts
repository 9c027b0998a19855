import type { Database } from '../../sqlite/driver.ts';
import type { Journal, Refusal } from '../journal.ts';
import { actorOf } from './actor.ts';

export const REFUSAL_SCHEMA = `
CREATE TABLE IF NOT EXISTS refusal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  tool TEXT NOT NULL, code TEXT NOT NULL,
  actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, actor_session TEXT NOT NULL, actor_client TEXT,
  paths TEXT NOT NULL
);
`;

/** Most refusals kept: a caller that is refused repeatedly must not fill the disk. */
const KEPT = 10_000;

/** Stores refused calls and deletes the oldest beyond the limit; call it inside a transaction. */
export function addRefusals(database: Database, refusals: readonly Refusal[]): void {
  const insert = database.prepare(
    `INSERT INTO refusal(time, tool, code, actor_kind, actor_name, actor_session, actor_client, paths)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { time, tool, code, actor, paths } of refusals) {
    const { kind, name, session, client = null } = actor;
    insert.run(time, tool, code, kind, name, session, client, JSON.stringify(paths));
  }
  database.prepare('DELETE FROM refusal WHERE id <= (SELECT max(id) FROM refusal) - ?').run(KEPT);
}

/** See {@link Journal.refusals}. */
export function listRefusals(
  database: Database,
  { limit, session, except }: Parameters<Journal['refusals']>[0],
): readonly Refusal[] {
  return database
    .prepare(
      `SELECT * FROM refusal WHERE (?1 IS NULL OR actor_session = ?1) AND code IS NOT ?2
       ORDER BY id DESC LIMIT ?3`,
    )
    .all(session ?? null, except ?? null, limit)
    .map((row) => ({
      time: Number(row.time),
      actor: actorOf(row),
      tool: String(row.tool),
      code: String(row.code),
      paths: JSON.parse(String(row.paths)) as string[],
    }));
}
