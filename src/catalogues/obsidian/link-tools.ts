import * as z from 'zod';
import { baseQuery } from '../../operations/base-query.ts';
import { linkBacklinks } from '../../operations/link-backlinks.ts';
import { linkForward } from '../../operations/link-forward.ts';
import { linkOrphans } from '../../operations/link-orphans.ts';
import { linkUnresolved } from '../../operations/link-unresolved.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { CatalogueTool } from '../catalogue.ts';
import { everyRow, format, table, totalOnly } from './table.ts';
import { noteOf, TARGET_NAMES, target } from './target.ts';
import { tool } from './tool.ts';

const LIMIT = 200;

const counts = z.boolean().optional().describe('With the number of links of each');

const backlinks = tool({
  name: 'obsidian_get_backlinks',
  description: 'Files that link to a note',
  fields: { ...target, counts, total: totalOnly, format },
  alsoCalled: TARGET_NAMES,
  operations: [noteRead, linkBacklinks],
  async data(input, context) {
    const { path } = await noteOf(input, context);
    const links = await everyRow(
      (cursor) => context.run(linkBacklinks, { path, limit: LIMIT, cursor }),
      (answer) => answer.links,
    );
    return {
      path,
      ...table(
        'backlinks',
        counted(links, ({ source }) => source, 'path', input.counts),
        input,
      ),
    };
  },
});

const outgoing = tool({
  name: 'obsidian_get_outgoing_links',
  description: 'Links from a note',
  fields: { ...target, total: totalOnly, format },
  alsoCalled: TARGET_NAMES,
  operations: [noteRead, linkForward],
  async data(input, context) {
    const { path } = await noteOf(input, context);
    const links = await everyRow(
      (cursor) => context.run(linkForward, { path, limit: LIMIT, cursor }),
      (answer) => answer.links,
    );
    const rows = links.map(({ target: to, written, line }) => ({
      link: written,
      path: to ?? null,
      resolved: to !== undefined,
      line,
    }));
    return { path, ...table('links', rows, input) };
  },
});

const unresolved = tool({
  name: 'obsidian_list_unresolved_links',
  description: 'Links that lead to no file',
  fields: {
    counts,
    verbose: z.boolean().optional().describe('With the files that hold them'),
    total: totalOnly,
    format,
  },
  operations: [linkUnresolved],
  async data(input, { run }) {
    const all = await everyRow(
      (cursor) => run(linkUnresolved, { limit: LIMIT, cursor }),
      (answer) => answer.unresolved,
    );
    const rows = all.map(({ target: link, count, sources }) => ({
      link,
      ...(input.counts === true && { count }),
      ...(input.verbose === true && { sources: [...new Set(sources.map(({ path }) => path))] }),
    }));
    return table('unresolved', rows, input);
  },
});

const deadends = tool({
  name: 'obsidian_list_deadends',
  description: 'Notes without links to other files',
  fields: { total: totalOnly, format },
  operations: [baseQuery],
  async data(input, { run }) {
    const rows = await everyRow(
      (cursor) =>
        run(baseQuery, {
          source: 'views:\n  - type: table\n    name: deadends\n',
          filter: 'file.ext == "md" && file.links.isEmpty()',
          columns: ['file.path'],
          sort: ['file.path'],
          limit: 500,
          cursor,
        }),
      (answer) => answer.rows,
    );
    return table(
      'deadends',
      rows.map(({ path }) => ({ path })),
      input,
    );
  },
});

const orphans = tool({
  name: 'obsidian_list_orphans',
  description: 'Notes without links to or from other notes',
  fields: { total: totalOnly, format },
  operations: [linkOrphans],
  async data(input, { run }) {
    const notes = await everyRow(
      (cursor) => run(linkOrphans, { limit: LIMIT, cursor }),
      (answer) => answer.notes,
    );
    return table(
      'orphans',
      notes.map(({ path }) => ({ path })),
      input,
    );
  },
});

/** One row per linked place with its number of links, in the order of first occurrence. */
function counted<One>(
  links: readonly One[],
  place: (link: One) => string,
  key: string,
  withCounts = false,
): Record<string, unknown>[] {
  const found = new Map<string, number>();
  for (const link of links) found.set(place(link), (found.get(place(link)) ?? 0) + 1);
  return [...found].map(([path, count]) => ({ [key]: path, ...(withCounts && { count }) }));
}

export const LINK_TOOLS: readonly CatalogueTool[] = [backlinks, outgoing, unresolved, deadends, orphans];
