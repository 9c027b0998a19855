import * as z from 'zod';
import { LecternError } from '../errors.ts';
import type { ListFilter } from '../index/note-index.ts';
import { isWithinTag, tagKey } from '../notes/structure/tags.ts';
import { TASK_STATES } from '../notes/structure/task-facts.ts';
import type { TaskRow, VaultSession } from '../vault/session.ts';
import { operation } from './operation.ts';
import { bareTag, pageInput, pageOutput, tagName, withNotice } from './shared/fields.ts';
import { offsetCursor, offsetOf } from './shared/offset-cursor.ts';
import { counted, hashed, lines, noticed, oneLine, shown } from './shared/rendering.ts';
import { clip } from './shared/text.ts';

/** Limits of the displayed task and heading, UTF-16 code units. */
const SHOWN_TEXT = 500;
const SHOWN_HEADING = 200;
/** Limit of tasks in one list. */
const MOST = 100_000;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

const taskRow = z.object({
  path: z.string(),
  /** 1-based. */
  line: z.number().int(),
  /** The character between the brackets, or the word such as TODO. */
  status: z.string(),
  state: z.enum(TASK_STATES),
  /** The text of the task; long text is cut and ends with `…`. */
  text: z.string(),
  /** The heading above it. */
  heading: z.string().optional(),
  /** YYYY-MM-DD */
  due: z.string().optional(),
  tags: z.array(z.string()),
});

export const taskList = operation({
  name: 'task_list',
  title: 'List tasks',
  description:
    'List tasks (check boxes, in Logseq TODO and the like) by folder, status, tag or due date, e.g. status "open", due_to "2026-03-31", sort "due". Read as due: 📅 2026-03-04, [due:: 2026-03-04], [deadline: "2026-03-04"], Logseq’s DEADLINE. To tick one off use note_patch with set_task_status.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'tasks',
  input: z.object({
    path_glob: z.string().min(1).optional().describe('e.g. Projects/** or one path'),
    status: z
      .string()
      .min(1)
      .max(100)
      .default('all')
      .describe('all, open (neither done nor cancelled), done, cancelled, or the mark itself: "/", DOING'),
    tag: tagName.optional().describe('On the task itself, with or without #; nested tags match'),
    due_from: z.string().max(10).optional().describe('Due on this day or later, YYYY-MM-DD'),
    due_to: z.string().max(10).optional().describe('Due on this day or earlier, YYYY-MM-DD'),
    sort: z.enum(['path', 'due']).default('path').describe('due: earliest first, those without last'),
    ...pageInput(20, 200),
  }),
  output: z.object({ tasks: z.array(taskRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/tasks' },
  cli: { noun: 'task', verb: 'list' },
  summarise: (out) => `${counted(out.total, 'task')}${shown(out, out.tasks.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(out.tasks, (task) => {
      const due = task.due === undefined ? '' : ` due ${task.due}`;
      const heading = task.heading === undefined ? '' : ` (${oneLine(task.heading, 60)})`;
      return `${task.path}:${task.line} [${task.status}] ${task.state}${due}${heading}: ${oneLine(task.text, 160)}${hashed(task.tags)}`;
    }),
  run: async (vault, input) => {
    const start = offsetOf(input.cursor, 't', 'task_list');
    checkDays(input);
    const filter: ListFilter = {
      kinds: ['note'],
      ...(input.path_glob !== undefined && { pathGlob: input.path_glob }),
      ...(input.tag !== undefined && { tags: [bareTag(input.tag)] }),
    };
    const { limit: _, cursor: __, ...asked } = input;
    const { found, isCut } = await onceForAllPages(vault, JSON.stringify(asked), async () => {
      const made = await tasksOf(vault, filter, wanted(input));
      if (input.sort === 'due') made.found.sort(byDue);
      return made;
    });
    const end = Math.min(start + input.limit, found.length);
    return {
      tasks: found.slice(start, end).map(toRow),
      total: found.length,
      next_cursor: offsetCursor('t', end, found.length),
      ...withNotice(
        isCut ? `only the first ${MOST} tasks were looked at; narrow path_glob or tag` : undefined,
      ),
    };
  },
});

interface Tasks {
  readonly found: TaskRow[];
  readonly isCut: boolean;
}

/**
 * The list is computed from the texts of all notes, which takes seconds in a large vault: following pages use
 * the same list while nothing changed. One is cached per caller, until its memory is needed.
 */
async function onceForAllPages(
  vault: VaultSession,
  asked: string,
  make: () => Promise<Tasks>,
): Promise<Tasks> {
  if (vault.staleness() !== undefined) return await make();
  const kept: { asked?: string; tasks?: WeakRef<Tasks> } = await vault.replayRead(
    'task_list: all pages',
    {},
    async () => ({}),
  );
  const known = kept.asked === asked ? kept.tasks?.deref() : undefined;
  if (known !== undefined) return known;
  const tasks = await make();
  kept.asked = asked;
  kept.tasks = new WeakRef(tasks);
  return tasks;
}

async function tasksOf(
  vault: VaultSession,
  filter: ListFilter,
  isWanted: (task: TaskRow) => boolean,
): Promise<Tasks> {
  const found: TaskRow[] = [];
  for await (const rows of vault.tasks(filter)) {
    for (const task of rows) {
      if (!isWanted(task)) continue;
      if (found.length === MOST) return { found, isCut: true };
      found.push(task);
    }
  }
  return { found, isCut: false };
}

/** @throws LecternError `invalid_input` for an invalid day, and for an empty range */
function checkDays({ due_from: from, due_to: to }: Days): void {
  for (const [key, given] of Object.entries({ due_from: from, due_to: to }))
    if (given !== undefined && !DAY.test(given)) throw wrongDays(key, `That is no day: ${given}.`);
  if (from !== undefined && to !== undefined && from > to)
    throw wrongDays('due_from', 'The first day is after the last.');
}

function wrongDays(key: string, message: string): LecternError {
  return new LecternError('invalid_input', message, {
    details: { missing: [], unknown: [], invalid: [{ key, problem: message }] },
    next: 'Days are written as YYYY-MM-DD, e.g. 2026-03-04.',
  });
}

interface Days {
  readonly due_from?: string | undefined;
  readonly due_to?: string | undefined;
}

interface Wanted extends Days {
  readonly status: string;
  readonly tag?: string | undefined;
}

function wanted({ status, tag, due_from: from, due_to: to }: Wanted): (task: TaskRow) => boolean {
  const key = tag === undefined ? undefined : tagKey(bareTag(tag));
  return (task) =>
    (status === 'all' || task.state === status || task.status === status) &&
    (key === undefined || task.tags.some((own) => isWithinTag(tagKey(own), key))) &&
    ((from === undefined && to === undefined) || isWithin(task.due, from, to));
}

function isWithin(due: string | undefined, from = '', to = '9999-99-99'): boolean {
  return due !== undefined && due >= from && due <= to;
}

/** Days compare as text; tasks due on the same day stay in order of path and line. */
function byDue({ due: one = '~' }: TaskRow, { due: other = '~' }: TaskRow): number {
  return one < other ? -1 : Number(one > other);
}

function toRow({ path, line, status, state, text, heading, due, tags }: TaskRow): z.output<typeof taskRow> {
  return {
    path,
    line,
    status,
    state,
    text: clip(text, SHOWN_TEXT),
    ...(heading !== undefined && { heading: clip(heading, SHOWN_HEADING) }),
    ...(due !== undefined && { due }),
    tags: tags.slice(0, 50).map((tag) => clip(tag, SHOWN_HEADING)),
  };
}
