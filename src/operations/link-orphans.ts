import * as z from 'zod';
import { operation } from './operation.ts';
import { noteRow, pageInput, pageOutput, sessionPage, toNoteRow } from './shared/fields.ts';
import { counted, lines, noteLine, noticed, shown } from './shared/rendering.ts';

export const linkOrphans = operation({
  name: 'link_orphans',
  title: 'Notes without links',
  description: 'Notes that no other note links to and that link to no other note.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'structure',
  input: z.object(pageInput(15, 200)),
  output: z.object({ notes: z.array(noteRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/links/orphans' },
  cli: { noun: 'link', verb: 'orphans' },
  summarise: (out) => `${counted(out.total, 'orphan')}${shown(out, out.notes.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.notes, noteLine),
  run: async (vault, input) => {
    const page = await vault.orphans(sessionPage(input));
    return {
      notes: page.items.map(toNoteRow),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
