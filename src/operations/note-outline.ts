import * as z from 'zod';
import { operation } from './operation.ts';
import { notePath, pageInput, pageOutput, withNotice } from './shared/fields.ts';
import { copyNotice, headingRow, spelling, toHeadingRow } from './shared/note-parts.ts';
import { offsetPage } from './shared/offset-cursor.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

export const noteOutline = operation({
  name: 'note_outline',
  title: 'Outline of a note',
  description:
    'The headings of a note with level and line. Cheap way to choose a section before note_read with heading.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  places: ['path'],
  toolset: 'core',
  input: z.object({ path: notePath, ...pageInput(100, 1000) }),
  output: z.object({ path: z.string(), etag: z.string(), headings: z.array(headingRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/notes/{path}/outline' },
  cli: { noun: 'note', verb: 'outline', positionals: ['path'] },
  summarise: (out) =>
    `${out.path}: ${counted(out.total, 'heading')}${shown(out, out.headings.length)}, etag ${out.etag}.${noticed(out.notice)}`,
  render: (out) =>
    lines(out.headings, (heading) => `${heading.line}: ${'#'.repeat(heading.level)} ${heading.text}`),
  run: async (vault, input) => {
    const note = await vault.open(input.path);
    const { rows, ...page } = offsetPage(note.parsed.headings, input, 'h', 'note_outline');
    return {
      path: note.path,
      etag: note.etag,
      headings: rows.map(toHeadingRow),
      ...page,
      ...withNotice(spelling(note, input.path), copyNotice(note)),
    };
  },
});
