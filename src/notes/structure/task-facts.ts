import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect } from '../model.ts';

/** The state of a task. A task that is neither done nor cancelled is open, including one in progress. */
export type TaskState = 'open' | 'done' | 'cancelled';

export const TASK_STATES: readonly TaskState[] = ['open', 'done', 'cancelled'];

/** The state of a task. @param status its character or word */
export function taskState(status: string, dialect: Dialect): TaskState {
  const { taskWords, taskStates } = DIALECT_RULES[dialect];
  if (status === 'x' || status === 'X') return 'done';
  if (status === '-') return 'cancelled';
  if (!taskStates && !taskWords.includes(status)) return 'open';
  if (/^done$/i.test(status)) return 'done';
  return /^cancell?ed$/i.test(status) ? 'cancelled' : 'open';
}

const DATE = '(\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01]))';
/**
 * Due dates in a task's text: emoji of Obsidian Tasks and SilverBullet, fields of Dataview, SilverBullet
 * attributes.
 */
const DUE_IN_TEXT = [
  new RegExp(`(?:📅|📆|🗓)\\ufe0f?[ \\t]*${DATE}`, 'u'),
  new RegExp(`[[(][ \\t]*(?:due|deadline)[ \\t]*::?[ \\t]*["']?${DATE}`, 'iu'),
];
/** Logseq's deadline, on a separate line below the task. */
const DEADLINE = new RegExp(`^[ \\t]*DEADLINE:[ \\t]*<${DATE}`, 'u');
/** A line that begins the next block. */
const NEXT_BLOCK = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)|#{1,6}[ \t]|$)/;
/** Most lines below a task, and most UTF-16 code units of its text, in which a date is searched. */
const LINES_BELOW = 10;
const MAX_LENGTH = 2000;

/**
 * The due date of a task as `YYYY-MM-DD`; undefined when it has none.
 *
 * @param own the task's text
 * @param text the note's text
 * @param end offset in it of the end of the task's line
 */
export function dueOf(own: string, text: string, end: number, dialect: Dialect): string | undefined {
  const line = own.slice(0, MAX_LENGTH);
  for (const pattern of DUE_IN_TEXT) {
    const day = pattern.exec(line)?.[1];
    if (day !== undefined) return day;
  }
  return DIALECT_RULES[dialect].outlines ? deadlineBelow(text, end) : undefined;
}

function deadlineBelow(text: string, end: number): string | undefined {
  let feed = text.indexOf('\n', end);
  for (let count = 0; feed >= 0 && count < LINES_BELOW; count += 1) {
    const start = feed + 1;
    feed = text.indexOf('\n', start);
    const stop = feed < 0 ? text.length : feed;
    const line = text.slice(start, Math.min(stop, start + MAX_LENGTH));
    if (NEXT_BLOCK.test(line.trimEnd())) return undefined;
    const day = DEADLINE.exec(line)?.[1];
    if (day !== undefined) return day;
  }
  return undefined;
}
