import { inflateRawSync } from 'node:zlib';
import { LecternError } from '../../errors.ts';
import { type Database, openDatabase, type Row, transaction } from '../../sqlite/driver.ts';
import type {
  AnswerToKeep,
  GroupState,
  HistoryQuery,
  Journal,
  JournalGroup,
  JournalStep,
  KeptAnswer,
  PlannedGroup,
  Refusal,
  RememberedAnswer,
  RepeatableWrite,
  RetentionLimits,
  SettleAnswer,
  StepOutcome,
  Trashed,
} from '../journal.ts';
import type { IdKind, NoteIds } from '../note-ids.ts';
import { actorOf } from './actor.ts';
import {
  forgetAnswers,
  keptAnswer,
  noteAnswer,
  recallAnswer,
  rememberAnswer,
  settleAnswer,
} from './answers.ts';
import { LogFlush } from './flush.ts';
import { guarded } from './guarded.ts';
import { idsFollow, noteIds } from './note-ids.ts';
import { packAll, unpack } from './packing.ts';
import { insertGroup, insertStep, sizeOf } from './planned-rows.ts';
import { addRefusals, listRefusals } from './refusals.ts';
import { stepOf, TRASHED, text, trashedOf } from './rows.ts';
import { prepareSchema } from './schema.ts';
import { type Sql, statementsOf } from './statements.ts';

/** Target duration of a slice of steps, ms, before other work gets a turn. */
const SLICE_MS = 6;
/** Number of steps in the first slice. */
const FIRST_SLICE = 32;
/** Number of groups that one transaction deletes. */
const PRUNED_AT_ONCE = 20;
/** Recording the steps of a group never takes this long, ms: its writer died. */
const ABANDONED_MS = 3600_000;

/** Finds groups that touch a path without `LIKE`, so that `_` and `%` in names are plain characters. */
const TOUCHES = 'EXISTS (SELECT 1 FROM step s WHERE s.group_id = g.id AND (s.path = ? OR s.to_path = ?))';

/**
 * The journal in a SQLite file of its own in the state folder. Groups survive a power cut once `begin` has
 * resolved.
 * @throws LecternError `unavailable` when the file cannot be opened
 */
export function openJournal(path: string, now: () => number = Date.now): Journal {
  const database = guarded(openJournalFile(path));
  const isLogged = database.prepare('PRAGMA journal_mode').get()?.journal_mode === 'wal';
  // A drive without shared memory has no log to flush: there each commit flushes by itself.
  database.exec(`PRAGMA synchronous = ${isLogged ? 'NORMAL' : 'FULL'}; PRAGMA foreign_keys = ON;`);
  prepareSchema(database, inflateRawSync);
  return new SqliteJournal(database, now, isLogged ? new LogFlush(path) : undefined);
}

/** Named explicitly: of all files in the state folder this one must not be deleted carelessly. */
function openJournalFile(path: string): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    throw new LecternError('unavailable', `The journal ${path} cannot be opened, so nothing is written.`, {
      cause: error,
      next: 'Notes can still be read. Check that the state folder is writable; if the journal is damaged, move it away and restart Lectern: what it kept for undo is then lost.',
    });
  }
}

class SqliteJournal implements Journal {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #log: LogFlush | undefined;
  readonly #sql: Sql;

  constructor(database: Database, now: () => number, log: LogFlush | undefined) {
    this.#database = database;
    this.#sql = statementsOf(database);
    this.#now = now;
    this.#log = log;
  }

  async begin(group: PlannedGroup, kept?: AnswerToKeep): Promise<JournalGroup> {
    // Packed before any transaction opens: yielding inside one would let other writes join it.
    const packed = await packAll(group.steps);
    const time = this.#now();
    const undoes = [...(group.undoes ?? [])].sort((a, b) => b - a);
    let groupId = 0;
    const steps: JournalStep[] = [];
    await this.#inSlices(group.steps, (slice, from, isLast) => {
      if (from === 0) groupId = insertGroup(this.#sql, group, time, sizeOf(packed));
      for (const [at, step] of slice.entries()) {
        steps.push(insertStep(this.#sql, groupId, step, packed[from + at]));
      }
      if (!isLast) return;
      if (kept) noteAnswer(this.#sql, groupId, kept, time);
      this.#sql(`UPDATE write_group SET state = 'pending' WHERE id = ?`).run(groupId);
    });
    await this.flush().catch((error: unknown) => {
      throw notWritten(error);
    });
    const { tool, actor, requestId, summary } = group;
    return { id: groupId, time, tool, actor, requestId, summary, state: 'pending', undoes, steps };
  }

  flush(): Promise<void> {
    return this.#log?.run() ?? Promise.resolve();
  }

  record(outcomes: readonly StepOutcome[]): void {
    if (outcomes.length > 0) this.#write(() => this.#record(outcomes));
  }

  async finish(
    groupId: number,
    outcomes: readonly StepOutcome[],
    answer: SettleAnswer = (expected, isDone) => (isDone ? expected : undefined),
  ): Promise<void> {
    const done = new Map(outcomes.map((outcome) => [outcome.stepId, outcome]));
    const ids = this.#sql('SELECT id FROM step WHERE group_id = ? ORDER BY id').all(groupId);
    await this.#inSlices(ids, (slice, _, isLast) => {
      const forget = this.#sql('DELETE FROM after_bytes WHERE step_id = ?');
      for (const row of slice) {
        const id = Number(row.id);
        const outcome = done.get(id);
        if (outcome) this.#record([outcome]);
        forget.run(id);
      }
      if (isLast) this.#close(groupId, answer);
    });
  }

  #close(groupId: number, answer: SettleAnswer): void {
    this.#sql(
      `UPDATE write_group SET
         state = CASE WHEN EXISTS (SELECT 1 FROM step WHERE group_id = ?1 AND state = 'done') THEN 'done' ELSE 'failed' END
       WHERE id = ?1`,
    ).run(groupId);
    const isWhole = this.#sql(
      `SELECT count(*) AS steps, sum(state = 'done') AS done FROM step WHERE group_id = ?`,
    ).get(groupId);
    settleAnswer(this.#sql, groupId, (expected) => answer(expected, Number(isWhole?.done) > 0));
    if (isWhole?.steps === isWhole?.done)
      for (const id of this.#undoneBy(groupId)) this.#setApplied(id, false);
  }

  /** Transactions of a few milliseconds each, with pauses for other work; one for an empty list. */
  async #inSlices<T>(
    items: readonly T[],
    work: (slice: readonly T[], from: number, isLast: boolean) => void,
  ): Promise<void> {
    let size = FIRST_SLICE;
    for (let from = 0; ; ) {
      const slice = items.slice(from, from + size);
      const isLast = from + slice.length === items.length;
      const start = performance.now();
      this.#write(() => work(slice, from, isLast));
      if (isLast) return;
      from += slice.length;
      const tookMs = performance.now() - start;
      size = Math.max(FIRST_SLICE, Math.min(size * 2, Math.floor((size * SLICE_MS) / tookMs)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #record(outcomes: readonly StepOutcome[]): void {
    const update = this.#sql(`UPDATE step SET state = ?, trash_path = coalesce(?, trash_path) WHERE id = ?`);
    const carriedOut = this.#sql(
      `SELECT s.*, g.time FROM step s JOIN write_group g ON g.id = s.group_id WHERE s.id = ? AND s.action NOT IN ('replace', 'facts')`,
    );
    for (const { stepId, state, trashPath } of outcomes) {
      update.run(state, trashPath ?? null, stepId);
      const step = state === 'done' ? carriedOut.get(stepId) : undefined;
      if (step) idsFollow(this.#sql, step, Number(step.time));
    }
  }

  /** Reverting an undo restores the effect of its writes. Undos refer to older groups only, so this ends. */
  #setApplied(groupId: number, applied: boolean): void {
    const [from, to] = applied ? ['undone', 'done'] : ['done', 'undone'];
    this.#sql('UPDATE write_group SET state = ? WHERE id = ? AND state = ?').run(to, groupId, from);
    this.#sql('UPDATE step SET state = ? WHERE group_id = ? AND state = ?').run(to, groupId, from);
    // Newest first when reverting, oldest first when restoring: the newest write determines the state.
    const undone = this.#undoneBy(groupId);
    for (const id of applied ? undone : undone.reverse()) this.#setApplied(id, !applied);
  }

  #undoneBy(groupId: number): number[] {
    return this.#sql('SELECT undone_id FROM undoing WHERE group_id = ? ORDER BY undone_id DESC')
      .all(groupId)
      .map((row) => Number(row.undone_id));
  }

  #write<T>(work: () => T): T {
    try {
      return transaction(this.#database, work);
    } catch (error) {
      throw notWritten(error);
    }
  }

  pending(): readonly JournalGroup[] {
    return this.#sql(`SELECT * FROM write_group g WHERE state = 'pending' ORDER BY id`)
      .all()
      .map((row) => this.#group(row));
  }

  before(stepId: number): Uint8Array | undefined {
    const row = this.#sql('SELECT deflated, bytes FROM before_bytes WHERE step_id = ?').get(stepId);
    return row?.bytes instanceof Uint8Array ? unpack(row.bytes, row.deflated === 1) : undefined;
  }

  after(stepId: number): Uint8Array | undefined {
    const bytes = this.#sql('SELECT bytes FROM after_bytes WHERE step_id = ?').get(stepId)?.bytes;
    return bytes instanceof Uint8Array ? new Uint8Array(bytes) : undefined;
  }

  group(id: number): JournalGroup | undefined {
    const row = this.#sql('SELECT * FROM write_group WHERE id = ?').get(id);
    return row && this.#group(row);
  }

  history(query: HistoryQuery): { groups: readonly JournalGroup[]; total: number } {
    const conditions: string[] = ["g.state NOT IN ('failed', 'planned')"];
    const parameters: (string | number)[] = [];
    const add = (condition: string, ...values: (string | number)[]) => {
      conditions.push(condition);
      parameters.push(...values);
    };
    if (query.path !== undefined) add(TOUCHES, query.path, query.path);
    if (query.actor !== undefined) add('g.actor_name = ?', query.actor);
    if (query.session !== undefined) add('g.actor_session = ?', query.session);
    if (query.since !== undefined) add('g.time >= ?', query.since);
    if (query.state !== undefined) add('g.state = ?', query.state);
    const where = conditions.join(' AND ');
    const groups: JournalGroup[] = [];
    let total = 0;
    for (const row of this.#sql(`SELECT * FROM write_group g WHERE ${where} ORDER BY id DESC`).iterate(
      ...parameters,
    )) {
      if (query.visible) {
        const group = this.#group(row);
        if (!query.visible(group)) continue;
        total++;
        if (this.#wanted(group.id, query) && groups.length < query.limit) groups.push(group);
      } else {
        total++;
        if (this.#wanted(Number(row.id), query) && groups.length < query.limit) groups.push(this.#group(row));
      }
    }
    return { groups, total };
  }

  #wanted(id: number, query: HistoryQuery): boolean {
    return query.beforeId === undefined || id < query.beforeId;
  }

  trashedFrom(trashPath: string): Trashed | undefined {
    return trashedOf(this.#sql(`${TRASHED} AND s.trash_path = ? ORDER BY s.id DESC LIMIT 1`).get(trashPath));
  }

  trashedBy(stepId: number): Trashed | undefined {
    return trashedOf(this.#sql(`${TRASHED} AND s.id = ? AND s.trash_path IS NOT NULL`).get(stepId));
  }

  refuse(refusals: readonly Refusal[]): void {
    this.#write(() => addRefusals(this.#database, refusals));
  }

  refusals(query: Parameters<Journal['refusals']>[0]): readonly Refusal[] {
    return listRefusals(this.#database, query);
  }

  recall(key: string, maxAgeMs: number): RememberedAnswer | undefined {
    return recallAnswer(this.#sql, key, this.#now() - maxAgeMs);
  }

  remember(key: string, answer: RememberedAnswer): void {
    rememberAnswer(this.#sql, key, answer, this.#now());
  }

  kept({ key, part }: Pick<RepeatableWrite, 'key' | 'part'>, maxAgeMs: number): KeptAnswer | undefined {
    return keptAnswer(this.#sql, key, part, this.#now() - maxAgeMs);
  }

  async prune({ maxAgeMs, maxBytes }: RetentionLimits): Promise<number> {
    const oldest = this.#now() - maxAgeMs;
    this.#write(() => {
      forgetAnswers(this.#sql, oldest);
      this.#sql('DELETE FROM refusal WHERE time < ?').run(oldest);
    });
    const doomed: number[] = [];
    let kept = 0;
    for (const row of this.#sql(
      `SELECT id, time, bytes FROM write_group
       WHERE state NOT IN ('pending', 'planned') OR (state = 'planned' AND time < ?) ORDER BY id DESC`,
    ).iterate(this.#now() - ABANDONED_MS)) {
      kept += Number(row.bytes);
      if (kept > maxBytes || Number(row.time) < oldest) doomed.push(Number(row.id));
    }
    // A few at a time: other processes write in between, and this one serves requests.
    for (let from = 0; from < doomed.length; from += PRUNED_AT_ONCE) {
      const slice = doomed.slice(from, from + PRUNED_AT_ONCE);
      this.#write(() => {
        for (const id of slice)
          this.#sql(`DELETE FROM write_group WHERE id = ? AND state <> 'pending'`).run(id);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return doomed.length;
  }

  ids(kind: IdKind): NoteIds {
    const write = <T>(work: () => T): T => this.#write(work);
    return noteIds(kind, this.#sql, this.#now, write);
  }

  secret(): Uint8Array {
    const bytes = this.#sql('SELECT bytes FROM secret').get()?.bytes;
    if (bytes instanceof Uint8Array) return bytes;
    throw new LecternError('internal', 'The journal has lost its secret.');
  }

  close(): void {
    this.#database.close();
  }

  #group(row: Row): JournalGroup {
    const id = Number(row.id);
    const steps = this.#sql('SELECT * FROM step WHERE group_id = ? ORDER BY id').all(id);
    return {
      id,
      time: Number(row.time),
      tool: String(row.tool),
      actor: actorOf(row),
      requestId: text(row.request_id),
      summary: String(row.summary),
      state: row.state as GroupState,
      undoes: this.#undoneBy(id),
      steps: steps.map(stepOf),
    };
  }
}

/** A full disk, usually that of the state folder, is the owner's problem and not a bug. */
function notWritten(cause: unknown): LecternError {
  return new LecternError('unavailable', 'The journal cannot be written, so nothing was changed.', {
    cause,
    next: "Check that the drive with Lectern's state folder has free space, then try again.",
  });
}
