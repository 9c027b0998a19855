import * as z from 'zod';
import { operation } from './operation.ts';
import {
  bareTag,
  noteRow,
  pageInput,
  pageOutput,
  sessionPage,
  tagName,
  toNoteRow,
  withNotice,
} from './shared/fields.ts';
import { counted, lines, noteLine, noticed, shown } from './shared/rendering.ts';

export const tagNotes = operation({
  name: 'tag_notes',
  title: 'Notes with a tag',
  description: 'The notes that carry a tag or one nested below it, case ignored.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'core',
  input: z.object({
    tag: tagName.describe('With or without #, e.g. project/lectern'),
    ...pageInput(15, 200),
  }),
  output: z.object({ tag: z.string(), notes: z.array(noteRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/tags/{tag}/notes' },
  cli: { noun: 'tag', verb: 'notes', positionals: ['tag'] },
  summarise: (out) =>
    `${counted(out.total, 'note')} with #${out.tag}${shown(out, out.notes.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.notes, noteLine),
  run: async (vault, input) => {
    const tag = bareTag(input.tag);
    const page = await vault.tagNotes(tag, sessionPage(input));
    return {
      tag,
      notes: page.items.map(toNoteRow),
      total: page.total,
      next_cursor: page.nextCursor,
      ...withNotice(page.total === 0 ? 'tag_list shows the tags there are' : undefined),
    };
  },
});
