import * as z from 'zod';
import { operation } from './operation.ts';
import { bareTag, pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

export const tagList = operation({
  name: 'tag_list',
  title: 'List tags',
  description: 'All tags with the number of notes that carry them, and with nested tags counted in.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'core',
  input: z.object({
    prefix: z.string().optional().describe('Only tags that start so, e.g. project/'),
    ...pageInput(30, 500),
  }),
  output: z.object({
    tags: z.array(
      z.object({
        tag: z.string(),
        /** Notes with exactly this tag. */
        notes: z.number().int(),
        /** Notes with this tag or one nested below it. */
        notes_nested: z.number().int(),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/tags' },
  cli: { noun: 'tag', verb: 'list' },
  summarise: (out) => `${counted(out.total, 'tag')}${shown(out, out.tags.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(
      out.tags,
      (row) =>
        `#${row.tag} ${row.notes}${row.notes_nested === row.notes ? '' : ` (${row.notes_nested} with nested)`}`,
    ),
  run: async (vault, input) => {
    const page = await vault.tags({
      ...sessionPage(input),
      ...(input.prefix !== undefined && { prefix: bareTag(input.prefix) }),
    });
    return {
      tags: page.items.map((record) => ({
        tag: record.tag,
        notes: record.notes,
        notes_nested: record.notesNested,
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
