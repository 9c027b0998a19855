import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LecternError } from '../../errors.ts';
import { type Database, openDatabase, type Row, type Statement, transaction } from '../../sqlite/driver.ts';
import type {
  GroupState,
  HistoryQuery,
  Journal,
  JournalGroup,
  JournalStep,
  PlannedGroup,
  Refusal,
  RememberedAnswer,
  RetentionLimits,
  StepAction,
  StepOutcome,
} from '../journal.ts';
import { actorOf } from './actor.ts';
import { guarded } from './guarded.ts';
import { addRefusals, listRefusals, REFUSAL_SCHEMA } from './refusals.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS write_group (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  tool TEXT NOT NULL,
  actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, actor_session TEXT NOT NULL,
  request_id TEXT,
  summary TEXT NOT NULL,
  state TEXT NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS undoing (
  group_id INTEGER NOT NULL REFERENCES write_group(id) ON DELETE CASCADE,
  undone_id INTEGER NOT NULL,
  PRIMARY KEY (group_id, undone_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS write_group_pending ON write_group(id) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS step (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES write_group(id) ON DELETE CASCADE,
  action TEXT NOT NULL,
  path TEXT NOT NULL, to_path TEXT, trash_path TEXT,
  before_etag TEXT, after_etag TEXT,
  before BLOB, after BLOB,
  state TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS step_group ON step(group_id);
CREATE INDEX IF NOT EXISTS step_path ON step(path);
CREATE INDEX IF NOT EXISTS step_to_path ON step(to_path) WHERE to_path IS NOT NULL;
CREATE INDEX IF NOT EXISTS step_trash ON step(trash_path) WHERE trash_path IS NOT NULL;
CREATE TABLE IF NOT EXISTS remembered (
  key TEXT PRIMARY KEY, input_hash TEXT NOT NULL, answer TEXT NOT NULL, time INTEGER NOT NULL
);
`;

/** Packing a slice of steps may not hold the event loop longer than this. */
const SLICE_MS = 8;
const PRUNED_AT_ONCE = 20;

function pack(bytes: Uint8Array | undefined): Uint8Array | null {
  return bytes === undefined ? null : deflateRawSync(bytes, { level: 1 });
}

function unpack(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? new Uint8Array(inflateRawSync(value)) : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `LIKE`-free matching of groups that touch a path, so that `_` and `%` in names are plain characters. */
const TOUCHES = 'EXISTS (SELECT 1 FROM step s WHERE s.group_id = g.id AND (s.path = ? OR s.to_path = ?))';

/**
 * The journal in a SQLite file of its own in the state folder. `synchronous=FULL`: what `begin`
 * promised survives a power cut.
 * @throws LecternError `unavailable` when the file cannot be opened
 */
export function openJournal(path: string, now: () => number = Date.now): Journal {
  const database = guarded(openJournalFile(path));
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec(SCHEMA + REFUSAL_SCHEMA);
  addColumn(database, 'write_group', 'actor_client TEXT');
  return new SqliteJournal(database, now);
}

/** For journals of before the column was thought of. */
function addColumn(database: Database, table: string, column: string): void {
  const [name] = column.split(' ');
  const known = database.prepare(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = ?`);
  transaction(database, () => {
    if (known.get(name ?? null) === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  });
}

/** In the journal's own words: of all files in the state folder this one must not be deleted lightly. */
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
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  #sql(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  async begin(group: PlannedGroup): Promise<JournalGroup> {
    // Packed before the transaction opens: yielding inside one would let other writes join it.
    const packed: { before: Uint8Array | null; after: Uint8Array | null }[] = [];
    let sliceEnd = performance.now() + SLICE_MS;
    for (const step of group.steps) {
      packed.push({ before: pack(step.before), after: pack(step.after) });
      if (performance.now() > sliceEnd) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnd = performance.now() + SLICE_MS;
      }
    }
    const id = this.#write(() => {
      const { lastInsertRowid } = this.#sql(
        `INSERT INTO write_group(time, tool, actor_kind, actor_name, actor_session, actor_client, request_id, summary, state, bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?)`,
      ).run(
        this.#now(),
        group.tool,
        group.actor.kind,
        group.actor.name,
        group.actor.session,
        group.actor.client ?? null,
        group.requestId ?? null,
        group.summary,
        packed.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0),
      );
      const groupId = Number(lastInsertRowid);
      const undoing = this.#sql('INSERT INTO undoing(group_id, undone_id) VALUES (?, ?)');
      for (const undone of group.undoes ?? []) undoing.run(groupId, undone);
      const insert = this.#sql(
        `INSERT INTO step(group_id, action, path, to_path, trash_path, before_etag, after_etag, before, after, state)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
      );
      for (const [at, step] of group.steps.entries()) {
        insert.run(
          groupId,
          step.action,
          step.path,
          step.toPath ?? null,
          step.trashPath ?? null,
          step.beforeEtag ?? null,
          step.afterEtag ?? null,
          packed[at]?.before ?? null,
          packed[at]?.after ?? null,
        );
      }
      return groupId;
    });
    const begun = this.group(id);
    if (!begun) throw new LecternError('internal', `Group ${id} of the journal vanished.`);
    return begun;
  }

  record(outcomes: readonly StepOutcome[]): void {
    if (outcomes.length > 0) this.#write(() => this.#record(outcomes));
  }

  finish(groupId: number, outcomes: readonly StepOutcome[]): void {
    this.#write(() => {
      this.#record(outcomes);
      this.#sql(`UPDATE step SET after = NULL WHERE group_id = ?`).run(groupId);
      this.#sql(
        `UPDATE write_group SET
           state = CASE WHEN EXISTS (SELECT 1 FROM step WHERE group_id = ?1 AND state = 'done') THEN 'done' ELSE 'failed' END,
           bytes = (SELECT coalesce(sum(length(before)), 0) FROM step WHERE group_id = ?1)
         WHERE id = ?1`,
      ).run(groupId);
      const isWhole = this.#sql(
        `SELECT count(*) AS steps, sum(state = 'done') AS done FROM step WHERE group_id = ?`,
      ).get(groupId);
      if (isWhole?.steps === isWhole?.done)
        for (const id of this.#undoneBy(groupId)) this.#setApplied(id, false);
    });
  }

  #record(outcomes: readonly StepOutcome[]): void {
    const update = this.#sql(`UPDATE step SET state = ?, trash_path = coalesce(?, trash_path) WHERE id = ?`);
    for (const { stepId, state, trashPath } of outcomes) update.run(state, trashPath ?? null, stepId);
  }

  /** Taking an undo back brings the effect of its writes back. Undoes point to older groups only, so this ends. */
  #setApplied(groupId: number, applied: boolean): void {
    const [from, to] = applied ? ['undone', 'done'] : ['done', 'undone'];
    this.#sql('UPDATE write_group SET state = ? WHERE id = ? AND state = ?').run(to, groupId, from);
    this.#sql('UPDATE step SET state = ? WHERE group_id = ? AND state = ?').run(to, groupId, from);
    // Newest first on the way back, oldest first on the way forward: the last word is the newest write's.
    const undone = this.#undoneBy(groupId);
    for (const id of applied ? undone : undone.reverse()) this.#setApplied(id, !applied);
  }

  #undoneBy(groupId: number): number[] {
    return this.#sql('SELECT undone_id FROM undoing WHERE group_id = ? ORDER BY undone_id DESC')
      .all(groupId)
      .map((row) => Number(row.undone_id));
  }

  /** A full disk, most often that of the state folder, is the owner's business and not a bug. */
  #write<T>(work: () => T): T {
    try {
      return transaction(this.#database, work);
    } catch (error) {
      throw new LecternError('unavailable', 'The journal cannot be written, so nothing was changed.', {
        cause: error,
        next: "Check that the drive with Lectern's state folder has free space, then try again.",
      });
    }
  }

  pending(): readonly JournalGroup[] {
    return this.#sql(`SELECT * FROM write_group g WHERE state = 'pending' ORDER BY id`)
      .all()
      .map((row) => this.#group(row));
  }

  before(stepId: number): Uint8Array | undefined {
    return unpack(this.#sql('SELECT before FROM step WHERE id = ?').get(stepId)?.before);
  }

  after(stepId: number): Uint8Array | undefined {
    return unpack(this.#sql('SELECT after FROM step WHERE id = ?').get(stepId)?.after);
  }

  group(id: number): JournalGroup | undefined {
    const row = this.#sql('SELECT * FROM write_group WHERE id = ?').get(id);
    return row && this.#group(row);
  }

  history(query: HistoryQuery): { groups: readonly JournalGroup[]; total: number } {
    const conditions: string[] = ["g.state <> 'failed'"];
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
        const { visible } = query;
        if (!group.steps.every((step) => visible(step.path) && (!step.toPath || visible(step.toPath))))
          continue;
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

  trashedFrom(trashPath: string): ReturnType<Journal['trashedFrom']> {
    const row = this.#sql(
      `SELECT s.path, g.time, g.actor_kind, g.actor_name, g.actor_session, g.actor_client
       FROM step s JOIN write_group g ON g.id = s.group_id
       WHERE s.trash_path = ? AND s.action = 'trash' AND s.state IN ('done', 'undone') ORDER BY s.id DESC LIMIT 1`,
    ).get(trashPath);
    if (!row) return undefined;
    return { path: String(row.path), time: Number(row.time), actor: actorOf(row) };
  }

  refuse(refusals: readonly Refusal[]): void {
    this.#write(() => addRefusals(this.#database, refusals));
  }

  refusals(query: Parameters<Journal['refusals']>[0]): readonly Refusal[] {
    return listRefusals(this.#database, query);
  }

  recall(key: string, maxAgeMs: number): RememberedAnswer | undefined {
    const row = this.#sql('SELECT input_hash, answer FROM remembered WHERE key = ? AND time > ?').get(
      key,
      this.#now() - maxAgeMs,
    );
    return row && { inputHash: String(row.input_hash), answer: String(row.answer) };
  }

  remember(key: string, answer: RememberedAnswer): void {
    this.#sql('INSERT OR REPLACE INTO remembered(key, input_hash, answer, time) VALUES (?, ?, ?, ?)').run(
      key,
      answer.inputHash,
      answer.answer,
      this.#now(),
    );
  }

  async prune({ maxAgeMs, maxBytes }: RetentionLimits): Promise<number> {
    const oldest = this.#now() - maxAgeMs;
    this.#write(() => {
      this.#sql('DELETE FROM remembered WHERE time < ?').run(oldest);
      this.#sql('DELETE FROM refusal WHERE time < ?').run(oldest);
    });
    const doomed: number[] = [];
    let kept = 0;
    for (const row of this.#sql(
      `SELECT id, time, bytes FROM write_group WHERE state <> 'pending' ORDER BY id DESC`,
    ).iterate()) {
      kept += Number(row.bytes);
      if (kept > maxBytes || Number(row.time) < oldest) doomed.push(Number(row.id));
    }
    // A few at a time: other processes write in between, and this one answers.
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

  close(): void {
    this.#database.close();
  }

  #group(row: Row): JournalGroup {
    const id = Number(row.id);
    const steps = this.#sql(
      'SELECT id, action, path, to_path, trash_path, before_etag, after_etag, state FROM step WHERE group_id = ? ORDER BY id',
    ).all(id);
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

function stepOf(row: Row): JournalStep {
  const step: { -readonly [K in keyof JournalStep]: JournalStep[K] } = {
    id: Number(row.id),
    action: row.action as StepAction,
    path: String(row.path),
    state: row.state as GroupState,
  };
  const toPath = text(row.to_path);
  const trashPath = text(row.trash_path);
  const beforeEtag = text(row.before_etag);
  const afterEtag = text(row.after_etag);
  if (toPath !== undefined) step.toPath = toPath;
  if (trashPath !== undefined) step.trashPath = trashPath;
  if (beforeEtag !== undefined) step.beforeEtag = beforeEtag;
  if (afterEtag !== undefined) step.afterEtag = afterEtag;
  return step;
}
