import * as z from 'zod';
import { literalGlob } from '../../notes/glob.ts';
import { noteRead } from '../../operations/note-read.ts';
import { taskList } from '../../operations/task-list.ts';
import type { ToolContext } from '../catalogue.ts';
import { invalidParams } from './failures.ts';
import { everyRow, format, table, totalOnly } from './table.ts';
import { noteIfNamed, TARGET_NAMES, target, withoutSlashes } from './target.ts';
import { tool } from './tool.ts';

const fields = {
  ...target,
  folder: z.string().optional().describe('Only notes below this folder'),
  daily: z.boolean().optional().describe("Only today's daily note"),
  todo: z.boolean().optional().describe('Only what is to be done'),
  done: z.boolean().optional().describe('Only what is done'),
  status: z.string().min(1).max(100).optional().describe('Only with this character in the box'),
  tag: z.string().min(1).optional().describe('Only with this tag, with or without #'),
  due_from: z.string().optional().describe('Due on this day (YYYY-MM-DD) or later'),
  due_to: z.string().optional().describe('Due on this day (YYYY-MM-DD) or earlier'),
  verbose: z.boolean().optional().describe('By file'),
  total: totalOnly,
  format,
};

type Input = z.output<z.ZodObject<typeof fields>>;

export const listTasks = tool({
  name: 'obsidian_list_tasks',
  description: 'Tasks of the vault, of a folder or of one note',
  fields,
  alsoCalled: { ...TARGET_NAMES, dueFrom: 'due_from', dueTo: 'due_to' },
  operations: [taskList, noteRead],
  async data(input, context) {
    const wanted = {
      path_glob: await placeOf(input, context),
      status: statusOf(input),
      tag: input.tag,
      due_from: input.due_from,
      due_to: input.due_to,
    };
    const tasks = await everyRow(
      (cursor) => context.run(taskList, { ...wanted, limit: 200, cursor }),
      (answer) => answer.tasks,
    );
    const rows = tasks.map(({ path, line, status, text, heading, due, tags }) => ({
      path,
      line,
      status,
      text,
      ...(heading !== undefined && { heading }),
      ...(due !== undefined && { due }),
      ...(tags.length > 0 && { tags }),
    }));
    if (input.verbose !== true || input.total === true || (input.format ?? 'json') !== 'json')
      return table('tasks', rows, input);
    return { files: byFile(rows), total: rows.length };
  },
});

function byFile<Row extends { readonly path: string }>(rows: readonly Row[]) {
  const files = new Map<string, Omit<Row, 'path'>[]>();
  for (const { path, ...task } of rows) {
    const tasks = files.get(path);
    if (tasks === undefined) files.set(path, [task]);
    else tasks.push(task);
  }
  return [...files].map(([path, tasks]) => ({ path, tasks }));
}

/**
 * The path pattern of the notes to search; undefined = all.
 * @throws JsonRpcError when more than one place is given
 */
async function placeOf(input: Input, context: ToolContext): Promise<string | undefined> {
  const { folder = '', daily = false } = input;
  const below = withoutSlashes(folder);
  const isNamed = input.name !== undefined || input.path !== undefined;
  if (Number(isNamed) + Number(daily) + Number(below !== '') > 1)
    throw invalidParams('a note, daily and folder exclude each other');
  if (daily) return literalGlob((await context.vault()).places().dailyNote(new Date()));
  if (below !== '') return `${literalGlob(below)}/**`;
  const note = await noteIfNamed(input, context);
  return note && literalGlob(note.path);
}

function statusOf({ todo, done, status }: Input): string | undefined {
  if (Number(todo === true) + Number(done === true) + Number(status !== undefined) > 1)
    throw invalidParams('todo, done and status exclude each other');
  if (todo === true) return 'open';
  return done === true ? 'done' : status;
}
