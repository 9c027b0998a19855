import type { JournalStep, PlannedGroup, PlannedStep } from '../journal.ts';
import type { Packed } from './packing.ts';
import type { Sql } from './statements.ts';

/** Inserts a group in the state `planned`, until all its steps are recorded. @returns its id */
export function insertGroup(sql: Sql, group: PlannedGroup, time: number, bytes: number): number {
  const { lastInsertRowid } = sql(
    `INSERT INTO write_group(time, tool, actor_kind, actor_name, actor_session, actor_client, request_id, summary, state, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'planned', ?)`,
  ).run(
    time,
    group.tool,
    group.actor.kind,
    group.actor.name,
    group.actor.session,
    group.actor.client ?? null,
    group.requestId ?? null,
    group.summary,
    bytes,
  );
  const undoing = sql('INSERT INTO undoing(group_id, undone_id) VALUES (?, ?)');
  for (const undone of group.undoes ?? []) undoing.run(lastInsertRowid, undone);
  return Number(lastInsertRowid);
}

/** Inserts a step with its bytes. */
export function insertStep(
  sql: Sql,
  groupId: number,
  planned: PlannedStep,
  packed: Packed | undefined,
): JournalStep {
  const { before: _, after, ...step } = planned;
  const { lastInsertRowid: id } = sql(
    `INSERT INTO step(group_id, action, path, to_path, trash_path, before_etag, after_etag, made_folder, pruned_folder, follows, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
  ).run(
    groupId,
    step.action,
    step.path,
    step.toPath ?? null,
    step.trashPath ?? null,
    step.beforeEtag ?? null,
    step.afterEtag ?? null,
    step.madeFolder ?? null,
    step.prunedFolder ?? null,
    step.follows ? 1 : 0,
  );
  if (packed) {
    const { deflated, bytes } = packed;
    sql('INSERT INTO before_bytes(step_id, deflated, bytes) VALUES (?, ?, ?)').run(
      id,
      deflated ? 1 : 0,
      bytes,
    );
  }
  if (after) sql('INSERT INTO after_bytes(step_id, bytes) VALUES (?, ?)').run(id, after);
  return { ...step, id: Number(id), state: 'pending' };
}

/** Total size of the replaced bytes in stored form. */
export function sizeOf(packed: readonly (Packed | undefined)[]): number {
  return packed.reduce((sum, one) => sum + (one?.bytes.length ?? 0), 0);
}
