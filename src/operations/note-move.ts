import * as z from 'zod';
import { LONG_CALL_MS } from '../budgets.ts';
import { operation } from './operation.ts';
import {
  leftAloneLines,
  leftAloneNotices,
  leftAloneOutput,
  leftAloneText,
  toLeftAlone,
} from './shared/left-alone.ts';
import { counted, noticed, paragraphs } from './shared/rendering.ts';
import {
  ifMatch,
  notices,
  relinkedLines,
  relinkedOutput,
  SHOWN_NOTES,
  toRelinked,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

export const noteMove = operation({
  name: 'note_move',
  title: 'Move or rename a note or folder',
  description:
    'Move or rename a note, attachment or folder. Every link that would break or change its meaning is rewritten: wikilinks, embeds, Markdown links, properties, canvases. Never overwrites. One step, undone by note_undo.',
  scope: 'vault:write',
  effects: 'writes',
  answersFrom: 'store',
  places: ['from', 'to'],
  limitMs: LONG_CALL_MS,
  toolset: 'write',
  input: z.object({
    from: z.string().min(1).describe('Exact path of the note or folder'),
    to: z.string().min(1).describe('Full new path, name included'),
    update_links: z.boolean().default(true),
    with_children: z.boolean().default(false).describe('With the folder of the note’s name, beside it'),
    if_match: ifMatch,
    ...writeInput,
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    moved: z.array(z.object({ from: z.string(), to: z.string() })),
    moved_total: z.number().int(),
    relinked: relinkedOutput,
    relinked_total: z.number().int(),
    links: z.number().int(),
    ...leftAloneOutput,
    etag: z.string().optional(),
    write_id: z.number().int().optional(),
    dry_run: z.boolean(),
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/notes/{from}/move' },
  cli: { noun: 'note', verb: 'move', positionals: ['from', 'to'] },
  summarise: (out) =>
    `${out.dry_run ? 'Would move' : 'Moved'} ${out.from} to ${out.to}${
      out.moved_total > 1 ? ` (${out.moved_total} files)` : ''
    }${out.write_id === undefined ? '' : `, write ${out.write_id}`}; ${counted(out.links, 'link')} in ${counted(
      out.relinked_total,
      'note',
    )} ${out.dry_run ? 'to rewrite' : 'rewritten'}${leftAloneText(out)}.${noticed(out.notice)}`,
  render: (out) => paragraphs(relinkedLines(out.relinked), leftAloneLines(out)),
  run: async (vault, input) => {
    const result = await vault.move(input.from, input.to, {
      ...writeOptions('note_move', input),
      updateLinks: input.update_links,
      withChildren: input.with_children,
    });
    return {
      from: result.from,
      to: result.to,
      moved: result.moved.slice(0, SHOWN_NOTES).map(({ from, to }) => ({ from, to })),
      moved_total: result.moved.length,
      relinked: toRelinked(result.relinked),
      relinked_total: result.relinked.length,
      links: result.links,
      ...toLeftAlone(result.leftAlone),
      ...(result.etag !== undefined && { etag: result.etag }),
      ...(result.writeId !== undefined && { write_id: result.writeId }),
      dry_run: result.dryRun,
      ...notices([...result.notices, ...leftAloneNotices(result.leftAlone)], result.relinked.length),
    };
  },
});
