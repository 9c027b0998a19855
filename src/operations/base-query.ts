import * as z from 'zod';
import { LecternError } from '../errors.ts';
import { operation } from './operation.ts';
import { answerOf, type BaseAnswer, cellText, csvOf, markdownOf } from './shared/base-answer.ts';
import { givenExpression, problemNotices, refuseBroken, runBase } from './shared/base-run.ts';
import { loadBase, viewNamed } from './shared/base-source.ts';
import { pageInput, pageOutput, withNotice } from './shared/fields.ts';
import { offsetCursor, offsetOf } from './shared/offset-cursor.ts';
import { counted, lines, noticed, oneLine, paragraphs, shown } from './shared/rendering.ts';

const summaryRow = z.object({ column: z.string(), summary: z.string(), value: z.unknown() });

export const baseQuery = operation({
  name: 'base_query',
  title: 'Query notes with a base',
  description:
    'Run an Obsidian base: a .base file, a ```base block of a note, or source YAML of your own, e.g. source: \'filters: file.hasTag("book") && rating >= 4\'. Answers the rows of a view with typed values, groups and summaries; what fails stays in its cell. property_list tells which properties there are.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path', 'this'],
  toolset: 'bases',
  input: z.object({
    path: z.string().min(1).optional().describe('A .base file, or a note with a base in it'),
    block: z.number().int().min(1).optional().describe('Which base of the note, from 1'),
    source: z.string().min(1).max(100_000).optional().describe('A base as YAML, in place of path'),
    view: z.string().min(1).optional().describe('Name of the view; default the first'),
    this: z.string().min(1).optional().describe('Path of the note that "this" stands for'),
    filter: z.string().min(1).optional().describe('One more expression that must hold'),
    columns: z.array(z.string().min(1)).max(100).optional().describe('Property ids in place of the view’s'),
    sort: z
      .array(z.string().min(1))
      .max(10)
      .optional()
      .describe('Property ids, with - in front for descending'),
    format: z.enum(['rows', 'markdown', 'csv']).default('rows'),
    ...pageInput(10, 500),
  }),
  output: z.object({
    path: z.string().optional(),
    view: z.string(),
    type: z.string(),
    /** Values by column id; null for a cell with an error. Empty with format markdown and csv. */
    rows: z.array(
      z.object({
        path: z.string(),
        /** With groups, the key of the row's group, null for none; a file appears in each of its groups. */
        group: z.string().nullable().optional(),
        values: z.record(z.string(), z.unknown()),
      }),
    ),
    columns: z.array(z.object({ id: z.string(), name: z.string() })),
    /** The rows as a Markdown table or CSV. */
    table: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), column: z.string(), message: z.string() })),
    groups: z
      .array(z.object({ key: z.string().nullable(), rows: z.number().int(), summaries: z.array(summaryRow) }))
      .optional(),
    summaries: z.array(summaryRow),
    /** Number of files that match, before the view's own limit. */
    matching: z.number().int(),
    ...pageOutput,
  }),
  rest: { method: 'POST', path: '/v1/bases/query' },
  restByPath: { method: 'GET', path: '/v1/bases/{path}/query' },
  cli: { noun: 'base', verb: 'query', positionals: ['path'], shorthands: { csv: { format: 'csv' } } },
  summarise: (out) =>
    `${out.path ?? 'source'}, ${out.type} "${oneLine(out.view, 60)}": ${counted(out.total, 'row')}${shown(out, out.rows.length)}.${noticed(out.notice)}`,
  render(out) {
    if (out.table !== undefined) return out.table;
    const ids = out.columns.map(({ id }) => id);
    const head = `path | ${out.columns.map(({ name }) => name).join(' | ')}`;
    const groups = new Map(out.groups?.map((group) => [group.key, groupLine(group)]));
    const rows = out.rows
      .flatMap(({ path, group, values }, at) => {
        const line = [path, ...ids.map((id) => cellText(values[id]))].join(' | ');
        const isFirst = group !== undefined && (at === 0 || out.rows[at - 1]?.group !== group);
        return isFirst ? [groups.get(group) ?? '', line] : [line];
      })
      .join('\n');
    const onPage = new Set(out.rows.map(({ group }) => group));
    // Groups of other pages.
    const others = lines(
      (out.groups ?? []).filter(({ key }) => !onPage.has(key)),
      ({ key }) => groups.get(key) ?? '',
    );
    return paragraphs(head, rows, others, ...totals(out));
  },
  ownText: (out) => out.table,
  inColumns: (out) => ({
    rows: out.rows.map(({ path, group, values }) => ({
      path,
      ...(group !== undefined && { group: group ?? 'None' }),
      ...Object.fromEntries(out.columns.map(({ id, name }) => [name, values[id]])),
    })),
    below: paragraphs(lines(out.groups ?? [], groupLine), ...totals(out)),
  }),
  async run(vault, input, { signal }) {
    const loaded = await loadBase(vault, input);
    const view = viewNamed(loaded.base, input.view);
    const extra = input.filter === undefined ? [] : [givenExpression(input.filter, 'filter')];
    refuseBroken(loaded.base, view, extra);
    const self = input.this === undefined ? loaded.self : await pathOf(vault, input.this);
    const sorted = input.sort === undefined ? view : { ...view, sort: input.sort.map(sortOf) };
    const start = offsetOf(input.cursor, 'b', 'base_query');
    const result = await runBase(vault, {
      base: loaded.base,
      view: sorted,
      extra,
      self,
      page: { start, limit: input.limit },
      signal,
      ...(input.columns && { columns: input.columns }),
    });
    const answer = answerOf(result, loaded.base);
    const end = start + answer.rows.length;
    const table = input.format === 'rows' ? undefined : (input.format === 'csv' ? csvOf : markdownOf)(answer);
    return {
      ...(loaded.path !== undefined && { path: loaded.path }),
      view: view.name,
      type: view.type,
      rows: table === undefined ? answer.rows : [],
      columns: answer.columns,
      ...(table !== undefined && { table }),
      errors: answer.errors,
      ...(answer.groups && { groups: answer.groups }),
      summaries: answer.summaries,
      matching: result.total,
      total: result.shown,
      next_cursor: offsetCursor('b', end, result.shown),
      ...withNotice(
        ...problemNotices(result),
        ...loaded.base.warnings.slice(0, 3),
        answer.groupsLeftOut === 0 ? undefined : `${counted(answer.groupsLeftOut, 'more group')} left out`,
      ),
    };
  },
});

interface Summary {
  readonly column: string;
  readonly summary: string;
  readonly value?: unknown;
}

function groupLine(group: { key: string | null; rows: number; summaries: readonly Summary[] }): string {
  return `== ${group.key ?? 'None'}: ${counted(group.rows, 'row')}${summaryText(group.summaries)}`;
}

/** Summaries, and errors of cells. */
function totals(out: Pick<BaseAnswer, 'summaries' | 'errors'>): readonly string[] {
  return [summaryText(out.summaries).trimStart(), lines(out.errors, errorLine)];
}

function errorLine({ path, column, message }: { path: string; column: string; message: string }): string {
  return `error in ${column} of ${path}: ${message}`;
}

function summaryText(summaries: readonly Summary[]): string {
  return summaries
    .map(({ column, summary, value }) => ` ${summary} of ${column}: ${cellText(value)}`)
    .join(';');
}

function sortOf(text: string) {
  return text.startsWith('-')
    ? ({ property: text.slice(1), direction: 'DESC' } as const)
    : ({ property: text, direction: 'ASC' } as const);
}

async function pathOf(vault: Parameters<typeof loadBase>[0], path: string): Promise<string> {
  const found = await vault.exists(path);
  if (found.path !== undefined) return found.path;
  throw new LecternError('not_found', `There is no file ${path} that "this" could stand for.`, {
    details: { path },
  });
}
