import * as z from 'zod';
import { operation } from './operation.ts';
import { isoTime, pageInput, pageOutput } from './shared/fields.ts';
import { offsetPage } from './shared/offset-cursor.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

export const folderList = operation({
  name: 'folder_list',
  title: 'List folders',
  description:
    'The folders of the vault with the number of notes in them, empty ones too, in order of their paths.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['below'],
  toolset: 'folders',
  input: z.object({
    below: z.string().min(1).optional().describe('Only folders below this one'),
    ...pageInput(50, 1000),
  }),
  output: z.object({
    folders: z.array(
      z.object({
        path: z.string(),
        /** Notes directly in the folder. */
        notes: z.number().int(),
        /** Notes in the folder and its subfolders. */
        notes_below: z.number().int(),
        /** Files of every kind in the folder and its subfolders. */
        files_below: z.number().int(),
        /** ISO 8601, UTC; absent when the store does not record it. */
        created: z.string().optional(),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/folders' },
  cli: { noun: 'folder', verb: 'list' },
  summarise: (out) =>
    `${counted(out.total, 'folder')}${shown(out, out.folders.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(
      out.folders,
      ({ path, notes, notes_below: below }) =>
        `${path}/ ${notes}${below === notes ? '' : ` (${below} with those below)`}`,
    ),
  run: async (vault, input) => {
    const below = input.below?.replace(/^\/+|\/+$/g, '');
    const all = (await vault.folders()).filter(
      ({ path }) => below === undefined || path.startsWith(`${below}/`),
    );
    const { rows, ...page } = offsetPage(all, input, 'f', 'folder_list');
    return {
      folders: rows.map(({ path, notes, notesBelow, filesBelow, birthtimeMs }) => ({
        path,
        notes,
        notes_below: notesBelow,
        files_below: filesBelow,
        ...(birthtimeMs !== undefined && { created: isoTime(birthtimeMs) }),
      })),
      ...page,
    };
  },
});
