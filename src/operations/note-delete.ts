import * as z from 'zod';
import { operation } from './operation.ts';
import { unreadableNotices } from './shared/left-alone.ts';
import { counted, lines, noticed } from './shared/rendering.ts';
import {
  exactNotePath,
  ifMatch,
  notices,
  SHOWN_NOTES,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

export const noteDelete = operation({
  name: 'note_delete',
  title: 'Move a note to the trash',
  description:
    'Move a note (or canvas, or base) to the trash. note_undo brings it back, and trash_restore what the vault keeps in its own trash. Links to it are left as they are; broken_links counts them.',
  scope: 'vault:write',
  effects: 'destroys',
  answersFrom: 'store',
  places: ['path'],
  toolset: 'write',
  input: z.object({
    path: exactNotePath,
    with_children: z
      .boolean()
      .default(false)
      .describe('With the notes in the folder of its name; also where only they are there'),
    if_match: ifMatch,
    ...writeInput,
  }),
  output: z.object({
    path: z.string(),
    trash_path: z.string().optional(),
    /** Files that were deleted with the note. */
    children: z.array(z.object({ path: z.string(), trash_path: z.string().optional() })).optional(),
    children_total: z.number().int().optional(),
    /** Where the file was moved by the vault's settings; `in_journal` = only note_undo restores it. */
    kept: z.enum(['in_vault', 'on_desktop', 'in_journal']),
    broken_links: z.number().int(),
    /** Notes that could not be read and may also link to it. */
    unreadable: z.array(z.string()).optional(),
    write_id: z.number().int().optional(),
    dry_run: z.boolean(),
    notice: z.string().optional(),
  }),
  rest: { method: 'DELETE', path: '/v1/notes/{path}' },
  cli: { noun: 'note', verb: 'delete', positionals: ['path'] },
  summarise: (out) =>
    `${removed(out)}${out.children_total === undefined ? '' : ` with ${counted(out.children_total, 'file')} below it`}${
      out.write_id === undefined ? '' : `, write ${out.write_id}`
    }; ${counted(out.broken_links, 'link')} to it ${out.broken_links === 1 ? 'leads' : 'lead'} nowhere ${out.dry_run ? 'then' : 'now'}.${noticed(out.notice)}`,
  render: ({ children = [] }) => lines(children, ({ path }) => path),
  run: async (vault, input) => {
    const result = await vault.remove(input.path, {
      ...writeOptions('note_delete', input),
      withChildren: input.with_children,
    });
    return {
      path: result.path,
      ...(result.trashPath !== undefined && { trash_path: result.trashPath }),
      ...(result.children.length > 0 && {
        children: result.children.slice(0, SHOWN_NOTES).map(({ path, trashPath }) => ({
          path,
          ...(trashPath !== undefined && { trash_path: trashPath }),
        })),
        children_total: result.children.length,
      }),
      kept: result.kept,
      broken_links: result.brokenLinks,
      ...(result.unreadable.length > 0 && { unreadable: result.unreadable.slice(0, SHOWN_NOTES) }),
      ...(result.writeId !== undefined && { write_id: result.writeId }),
      dry_run: result.dryRun,
      ...notices(unreadableNotices(result.unreadable)),
    };
  },
});

function removed(out: {
  path: string;
  trash_path?: string | undefined;
  kept: string;
  dry_run: boolean;
}): string {
  if (out.kept === 'in_journal' && out.trash_path === undefined) {
    return `${out.dry_run ? 'Would delete' : 'Deleted'} ${out.path} (this vault keeps no trash; note_undo brings it back)`;
  }
  const place =
    out.trash_path ?? (out.kept === 'on_desktop' ? "the desktop's; note_undo brings it back" : undefined);
  return `${out.dry_run ? 'Would move' : 'Moved'} ${out.path} to the trash${place === undefined ? '' : ` (${place})`}`;
}
