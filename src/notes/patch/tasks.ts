import { LecternError } from '../../errors.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Task } from '../model.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import type { CheckedOp } from './op.ts';

/** Most tasks named in an error. */
const MAX_CANDIDATES = 10;

/** The status characters of words that callers may use. */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  todo: ' ',
  open: ' ',
  undone: ' ',
  done: 'x',
  completed: 'x',
  doing: '/',
  in_progress: '/',
  cancelled: '-',
  canceled: '-',
};

/**
 * Logseq's words by status character, in both of its workflows (TODO/DOING and LATER/NOW); a task keeps its
 * own.
 */
const TASK_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  ' ': ['TODO', 'LATER'],
  '/': ['DOING', 'NOW'],
  x: ['DONE', 'DONE'],
  '-': ['CANCELED', 'CANCELED'],
};

/**
 * Sets the character between a task's brackets, or the word before its text. The task is given by its exact
 * text, or by its line in the note before the call; with both, the line must contain that text.
 *
 * @throws LecternError `not_found` with similar tasks, `ambiguous` with their lines, `conflict` when the line
 *   contains another task or was changed by an earlier op, `invalid_input` for an unknown status
 */
export function setTask(note: NoteInEdit, op: CheckedOp<'set_task'>): Edit {
  // The status is checked before the task is searched.
  const boxed = boxStatus(op.status, note.dialect);
  const word = wordStatus(op.status, note.dialect);
  if (boxed === undefined && word === undefined) throw noStatus(op.status, note.dialect);
  const task = op.line === undefined ? taskByText(note, op.task ?? '') : taskOnLine(note, op.line, op.task);
  const { statusSpan } = task;
  const isWord = note.text[statusSpan.start - 1] !== '[';
  const [first, second] = word ?? [];
  const insert = isWord ? (/^(?:NOW|LATER)$/.test(task.status) ? second : first) : boxed;
  if (insert === undefined) throw noStatus(op.status, note.dialect);
  return exactly([{ ...statusSpan, insert }]);
}

function boxStatus(given: string, dialect: Dialect): string | undefined {
  const bracketed = /^\[(.+)\]$/su.exec(given)?.[1];
  const status = bracketed ?? STATUS_WORDS[given.trim().toLowerCase()] ?? given;
  if (/[\]\r\n[]/.test(status)) return undefined;
  if ([...status].length === 1) return status;
  const isState = DIALECT_RULES[dialect].taskStates && status.trim() === status && !status.includes(':');
  return isState && status !== '' ? status : undefined;
}

/**
 * The word for a status in the TODO workflow, and in the NOW/LATER workflow; undefined for an unknown status.
 */
function wordStatus(given: string, dialect: Dialect): readonly [string, string] | undefined {
  const word = given.trim();
  if (DIALECT_RULES[dialect].taskWords.includes(word)) return [word, word];
  const status = /^\[(.)\]$/su.exec(given)?.[1] ?? STATUS_WORDS[word.toLowerCase()] ?? given;
  const known = TASK_WORDS[status.toLowerCase()];
  if (known !== undefined || DIALECT_RULES[dialect].taskWords.length === 0) return known;
  const upper = word.toUpperCase();
  return DIALECT_RULES[dialect].taskWords.includes(upper) ? [upper, upper] : undefined;
}

function noStatus(given: string, dialect: Dialect): LecternError {
  const { taskWords } = DIALECT_RULES[dialect];
  return new LecternError('invalid_input', `"${given}" is not a task status.`, {
    details: { wrong: ['status'] },
    next: `Use one character such as "x", " " or "/", or one of: ${['done', 'todo', 'doing', 'cancelled', ...taskWords].join(', ')}.`,
  });
}

function taskByText(note: NoteInEdit, wanted: string): Task {
  const { tasks } = note.parsed;
  const found = tasks.filter((task) => isNamed(note.text, task, wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    throw new LecternError('ambiguous', `${found.length} tasks have the text "${wanted}".`, {
      details: { candidates: found.slice(0, MAX_CANDIDATES).map(described) },
      next: 'Pass the line of the one that is meant.',
    });
  }
  const key = textKey(wanted);
  const near = tasks.filter((task) => key !== '' && textKey(task.text).includes(key));
  const shown = near.length > 0 ? near : tasks;
  throw new LecternError('not_found', `No task has exactly the text "${wanted}".`, {
    details: { candidates: shown.slice(0, MAX_CANDIDATES).map(described), tasks: tasks.length },
    next: tasks.length === 0 ? 'The note has no tasks.' : 'Pass a task’s text as it stands, or its line.',
  });
}

function taskOnLine(note: NoteInEdit, line: number, wanted: string | undefined): Task {
  const start = note.startOfOriginalLine(line);
  if (start === undefined) {
    throw new LecternError('conflict', `Line ${line} is gone or was changed by an earlier op of this call.`, {
      details: { line },
      next: 'Name the task by its text, or change it first.',
    });
  }
  const task = note.parsed.tasks.find(
    ({ span }) => span.start >= start && !/[\r\n]/.test(note.text.slice(start, span.start)),
  );
  if (task === undefined) {
    throw new LecternError('not_found', `Line ${line} holds no task.`, {
      details: { line, candidates: note.parsed.tasks.slice(0, MAX_CANDIDATES).map(described) },
      next: 'Pass the line of a task, or its text.',
    });
  }
  if (wanted !== undefined && !isNamed(note.text, task, wanted)) {
    throw new LecternError('conflict', `Line ${line} holds another task: "${task.text.trim()}".`, {
      details: { line, found: task.text.trim() },
      next: 'Read the note again, or name the task by its text alone.',
    });
  }
  return task;
}

/** Whether a text is the task's text, or its whole line (`- [ ] text`). */
function isNamed(text: string, task: Task, wanted: string): boolean {
  const written = (one: string) => one.trim().normalize('NFC');
  const name = written(wanted);
  const whole = text.slice(task.span.start, task.span.end);
  // Logseq writes the priority before the text.
  const names = [task.text, whole, task.text.replace(/^\[#[A-C]\][ \t]+/, '')];
  return names.some((one) => written(one) === name);
}

function textKey(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function described(task: Task): { line: number; text: string; status: string } {
  return { line: task.line, text: task.text.trim(), status: task.status };
}
