import type { AnswerToKeep, KeptAnswer, RememberedAnswer } from '../journal.ts';
import type { Sql } from './statements.ts';

/**
 * Answers to calls with an idempotency key. `remembered` contains those of whole calls. `write_answer`
 * contains that of each write of a call, recorded in the transaction that plans the write and confirmed in
 * the one that closes it: when a process dies between a write and its answer, the answer is as durable as the
 * write.
 */
export const ANSWER_SCHEMA = `
CREATE TABLE IF NOT EXISTS remembered (
  key TEXT PRIMARY KEY, input_hash TEXT NOT NULL, answer TEXT NOT NULL, time INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS write_answer (
  key TEXT NOT NULL, part INTEGER NOT NULL,
  group_id INTEGER NOT NULL, is_done INTEGER NOT NULL,
  input_hash TEXT NOT NULL, answer TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (key, part)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS write_answer_group ON write_answer(group_id);
`;

/** See {@link Journal.remember}. @param time ms since the epoch */
export function rememberAnswer(sql: Sql, key: string, answer: RememberedAnswer, time: number): void {
  sql('INSERT OR REPLACE INTO remembered(key, input_hash, answer, time) VALUES (?, ?, ?, ?)').run(
    key,
    answer.inputHash,
    answer.answer,
    time,
  );
}

/** See {@link Journal.recall}. @param since ms since the epoch; older answers do not count */
export function recallAnswer(sql: Sql, key: string, since: number): RememberedAnswer | undefined {
  const row = sql('SELECT input_hash, answer FROM remembered WHERE key = ? AND time > ?').get(key, since);
  return row && { inputHash: String(row.input_hash), answer: String(row.answer) };
}

/** Records the expected answer of a write. One that an earlier attempt left open is replaced. */
export function noteAnswer(sql: Sql, groupId: number, kept: AnswerToKeep, time: number): void {
  sql(
    `INSERT OR REPLACE INTO write_answer(key, part, group_id, is_done, input_hash, answer, time)
       VALUES (?, ?, ?, 0, ?, ?, ?)`,
  ).run(kept.key, kept.part, groupId, kept.inputHash, kept.answer(groupId), time);
}

/**
 * Confirms a recorded answer when its write is closed: replaced by the result of `answer`, deleted when that
 * is undefined.
 */
export function settleAnswer(sql: Sql, groupId: number, answer: (noted: string) => string | undefined): void {
  const row = sql('SELECT answer FROM write_answer WHERE group_id = ?').get(groupId);
  if (row === undefined) return;
  const settled = answer(String(row.answer));
  if (settled === undefined) {
    sql('DELETE FROM write_answer WHERE group_id = ?').run(groupId);
    return;
  }
  sql('UPDATE write_answer SET answer = ?, is_done = 1 WHERE group_id = ?').run(settled, groupId);
}

/** See {@link Journal.kept}. @param since ms since the epoch; older answers do not count */
export function keptAnswer(sql: Sql, key: string, part: number, since: number): KeptAnswer | undefined {
  const row = sql('SELECT * FROM write_answer WHERE key = ? AND part = ? AND time > ?').get(key, part, since);
  return (
    row && {
      inputHash: String(row.input_hash),
      answer: String(row.answer),
      groupId: Number(row.group_id),
      isDone: row.is_done === 1,
    }
  );
}

/** Deletes older answers, except for the answer to a write that a crash left open. */
export function forgetAnswers(sql: Sql, before: number): void {
  sql('DELETE FROM remembered WHERE time < ?').run(before);
  sql('DELETE FROM write_answer WHERE time < ? AND is_done = 1').run(before);
}
