import { DIALECT_RULES } from '../dialects/rules.ts';
import type { MarkdownNode } from '../markdown.ts';
import type { Dialect, Span, Task } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';

const MARKER = '(?:[-*+]|\\d{1,9}[.)])[ \\t]+';
/** A box with exactly one character, then a space or tab. */
const BOX = '\\[(?<box>[^\\r\\n[\\]])\\][ \\t]';
/** A box with one character or a state's word. */
const STATE_BOX = '\\[(?<box>[^\\r\\n[\\]:]+)\\][ \\t]';

const patterns = new Map<Dialect, RegExp>();

/** Matches the start of a list item that is a task. */
function patternOf(dialect: Dialect): RegExp {
  const known = patterns.get(dialect);
  if (known !== undefined) return known;
  const { taskWords, taskStates } = DIALECT_RULES[dialect];
  const word = `(?:#{1,6}[ \\t]+)?(?<word>${taskWords.join('|')})(?:[ \\t]|(?=[\\r\\n]|$))`;
  const box = taskStates ? STATE_BOX : BOX;
  const pattern = new RegExp(MARKER + (taskWords.length === 0 ? box : `(?:${box}|${word})`), 'uy');
  patterns.set(dialect, pattern);
  return pattern;
}

/** The tasks of a note: list items that start with a check box, or in Logseq with a word such as `TODO`. */
export function readTasks(
  text: string,
  nodes: readonly MarkdownNode[],
  opaque: readonly Span[],
  lines: LineIndex,
  dialect: Dialect,
): Task[] {
  const tasks: Task[] = [];
  const pattern = patternOf(dialect);
  for (const node of nodes) {
    if (node.kind !== 'listItem') continue;
    const found = taskAt(pattern, text, node.start);
    if (found === undefined || spanAt(opaque, found.statusSpan.start) !== undefined) continue;
    const line = lines.lineAt(node.start);
    const end = lines.endOf(line);
    const { status, statusSpan, textStart } = found;
    tasks.push({
      status,
      statusSpan,
      text: text.slice(textStart, end),
      span: { start: node.start, end },
      line,
    });
  }
  return tasks;
}

/** The marks of a task after a list item's marker: its status, and the offset of its text. */
export interface TaskMarks {
  readonly status: string;
  readonly statusSpan: Span;
  readonly textStart: number;
}

/**
 * The marks of the task at an offset; undefined when it is no task.
 *
 * @param at offset of the list item's marker
 */
export function taskMarksAt(text: string, at: number, dialect: Dialect): TaskMarks | undefined {
  return taskAt(patternOf(dialect), text, at);
}

function taskAt(pattern: RegExp, text: string, at: number): TaskMarks | undefined {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const { box, word } = match?.groups ?? {};
  const status = box ?? word;
  if (match === null || status === undefined) return undefined;
  const textStart = at + match[0].length;
  // A bracket and a space follow a box's status; at most a space follows a word.
  const start = box === undefined ? at + match[0].lastIndexOf(status) : textStart - 2 - status.length;
  return { status, statusSpan: { start, end: start + status.length }, textStart };
}

/** Whether a task is closed: its box is not empty, or its word or state means done or cancelled. */
export function isClosed(status: string, dialect: Dialect): boolean {
  const { taskWords, taskStates } = DIALECT_RULES[dialect];
  if (taskWords.includes(status)) return /^(?:DONE|CANCELL?ED)$/.test(status);
  return taskStates ? /^(?:x|done|cancell?ed)$/i.test(status) : status !== ' ';
}
