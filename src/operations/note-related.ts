import * as z from 'zod';
import { operation } from './operation.ts';
import { copyField, copyMark, notePath, withNotice } from './shared/fields.ts';
import { copyOf, counted, lines, noticed } from './shared/rendering.ts';

export const noteRelated = operation({
  name: 'note_related',
  title: 'Notes near a note',
  description:
    'Notes near this one by content and links, nearest first, each with the reasons. Use it to find what to read next or what to link.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path'],
  toolset: 'structure',
  input: z.object({ path: notePath, limit: z.number().int().min(1).max(50).default(10) }),
  output: z.object({
    path: z.string(),
    notes: z.array(
      z.object({
        path: z.string(),
        title: z.string(),
        /** 0..1 */
        score: z.number(),
        because: z.array(z.string()),
        ...copyField,
      }),
    ),
    notice: z.string().optional(),
  }),
  rest: { method: 'GET', path: '/v1/notes/{path}/related' },
  cli: { noun: 'note', verb: 'related', positionals: ['path'] },
  summarise: (out) => `${counted(out.notes.length, 'note')} near ${out.path}.${noticed(out.notice)}`,
  render: (out) =>
    lines(out.notes, (note) => `${note.path} (${note.score}; ${note.because.join(', ')})${copyOf(note)}`),
  run: async (vault, input) => {
    const answer = await vault.related(input.path, input.limit);
    return {
      path: answer.path,
      notes: answer.items.map(({ path, title, score, because, copyOf: original }) => ({
        path,
        title,
        score: Math.round(score * 100) / 100,
        because: [...because],
        ...copyMark(original),
      })),
      ...withNotice(answer.notice),
    };
  },
});
