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
import { counted, lines, noticed, paragraphs } from './shared/rendering.ts';
import {
  notices,
  relinkedLines,
  relinkedOutput,
  relinkedText,
  SHOWN_NOTES,
  toRelinked,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

export const tagRename = operation({
  name: 'tag_rename',
  title: 'Rename a tag everywhere',
  description:
    'Rename a tag and the tags nested in it in every note, inline and in properties. Code, comments and queries are left alone and listed. Try dry_run first.',
  scope: 'vault:write',
  effects: 'writes',
  answersFrom: 'store',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'structure',
  input: z.object({
    from: z.string().min(1).describe('Tag, with or without #'),
    to: z.string().min(1),
    ...writeInput,
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    notes: z.array(z.object({ path: z.string(), tags: z.number().int() })),
    notes_total: z.number().int(),
    tags: z.number().int(),
    /** Notes in which links to headings with the tag were updated. */
    relinked: relinkedOutput,
    /** Equals left_alone_total. */
    skipped: z.number().int(),
    ...leftAloneOutput,
    write_id: z.number().int().optional(),
    dry_run: z.boolean(),
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/tags/rename' },
  cli: { noun: 'tag', verb: 'rename', positionals: ['from', 'to'] },
  summarise: (out) =>
    `${out.dry_run ? 'Would rename' : 'Renamed'} #${out.from} to #${out.to}: ${counted(out.tags, 'tag')} in ${counted(
      out.notes_total,
      'note',
    )}${out.write_id === undefined ? '' : `, write ${out.write_id}`}${leftAloneText(out)}.${relinkedText(out.relinked)}${noticed(out.notice)}`,
  render: (out) =>
    paragraphs(
      lines(out.notes, ({ path, tags }) => `${path}: ${tags}`),
      relinkedLines(out.relinked),
      leftAloneLines(out),
    ),
  run: async (vault, input) => {
    const result = await vault.renameTag(input.from, input.to, writeOptions('tag_rename', input));
    return {
      from: result.from,
      to: result.to,
      notes: result.notes.slice(0, SHOWN_NOTES).map(({ path, tags }) => ({ path, tags })),
      notes_total: result.notes.length,
      tags: result.tags,
      relinked: toRelinked(result.relinked),
      skipped: result.leftAlone.items.length,
      ...toLeftAlone(result.leftAlone),
      ...(result.writeId !== undefined && { write_id: result.writeId }),
      dry_run: result.dryRun,
      ...notices([...result.notices, ...leftAloneNotices(result.leftAlone)], result.notes.length),
    };
  },
});
