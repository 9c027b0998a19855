import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect } from '../model.ts';

/** What has become of a task. Whatever is neither done nor cancelled is still to do, in progress included. */
export type TaskState = 'open' | 'done' | 'cancelled';

export const TASK_STATES: readonly TaskState[] = ['open', 'done', 'cancelled'];

/** @param status the character or word by which the task is marked */
export function taskState(status: string, dialect: Dialect): TaskState {
  const { taskWords, taskStates } = DIALECT_RULES[dialect];
  if (status === 'x' || status === 'X') return 'done';
  if (status === '-') return 'cancelled';
  if (!taskStates && !taskWords.includes(status)) return 'open';
  if (/^done$/i.test(status)) return 'done';
  return /^cancell?ed$/i.test(status) ? 'cancelled' : 'open';
}

const DATE = '(\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01]))';
/** The signs of Obsidian's Tasks and of SilverBullet, the fields of Dataview and the attributes of SilverBullet. */
const DUE_IN_TEXT = [
  new RegExp(`(?:📅|📆|🗓)\\ufe0f?[ \\t]*${DATE}`, 'u'),
  new RegExp(`[[(][ \\t]*(?:due|deadline)[ \\t]*::?[ \\t]*["']?${DATE}`, 'iu'),
];
/** Logseq's, on a line of its own below the task. */
const DEADLINE = new RegExp(`^[ \\t]*DEADLINE:[ \\t]*<${DATE}`, 'u');
/** What begins the next block. */
const NEXT_BLOCK = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)|#{1,6}[ \t]|$)/;
/** Lines and characters in which a date is looked for. */
const LINES_BELOW = 10;
const LONGEST = 2000;

/**
 * The day by which a task is to be done, as `YYYY-MM-DD`, where its notation has one.
 * @param own what the task says
 * @param text the note's
 * @param end where the task's line ends in it
 */
export function dueOf(own: string, text: string, end: number, dialect: Dialect): string | undefined {
  const line = own.slice(0, LONGEST);
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
    const line = text.slice(start, Math.min(stop, start + LONGEST));
    if (NEXT_BLOCK.test(line.trimEnd())) return undefined;
    const day = DEADLINE.exec(line)?.[1];
    if (day !== undefined) return day;
  }
  return undefined;
}
