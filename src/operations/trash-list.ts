import * as z from 'zod';
import { operation } from './operation.ts';
import { isoTime, pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { counted, lines, shown } from './shared/rendering.ts';

export const trashList = operation({
  name: 'trash_list',
  title: 'What lies in the trash',
  description: 'Deleted notes that trash_restore can bring back, newest first.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  places: [],
  toolset: 'write',
  input: z.object(pageInput(20, 200)),
  output: z.object({
    items: z.array(
      z.object({
        trash_path: z.string(),
        original_path: z.string().optional(),
        deleted: z.string(),
        size: z.number().int(),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/trash' },
  cli: { noun: 'trash', verb: 'list' },
  summarise: (out) => `${counted(out.total, 'file')} in the trash${shown(out, out.items.length)}.`,
  render: (out) =>
    lines(
      out.items,
      (item) => `${item.trash_path} (was ${item.original_path ?? 'unknown'}) ${item.deleted.slice(0, 10)}`,
    ),
  run: async (vault, input) => {
    const page = await vault.trashList(sessionPage(input));
    return {
      items: page.items.map((item) => ({
        trash_path: item.trashPath,
        ...(item.originalPath !== undefined && { original_path: item.originalPath }),
        deleted: isoTime(item.deleted),
        size: item.size,
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
