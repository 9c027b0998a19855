import * as z from 'zod';
import { LONG_CALL_MS } from '../budgets.ts';
import { operation } from './operation.ts';
import { counted } from './shared/rendering.ts';
import { parseTime } from './shared/time.ts';
import { notices, SHOWN_NOTES, writeInput, writeOptions } from './shared/write-fields.ts';

export const noteUndo = operation({
  name: 'note_undo',
  title: 'Take writes back',
  description:
    'Take back one write (write_id), or every write since a time or of this connection (mine). All or none: if somebody changed a note since, nothing happens and the conflict is named. dry_run shows the diffs. An undo can be undone.',
  scope: 'vault:write',
  effects: 'writes',
  answersFrom: 'store',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'write',
  input: z.object({
    write_id: z.number().int().optional().describe('From the answer of a write, or note_history'),
    since: z.string().optional().describe('ISO 8601 time, or e.g. 2h, 3d'),
    actor: z.string().optional(),
    mine: z.boolean().default(false).describe('Only writes of this connection'),
    ...writeInput,
  }),
  output: z.object({
    undone: z.array(z.number().int()),
    notes: z.array(z.object({ path: z.string(), action: z.string(), diff: z.string() })),
    notes_total: z.number().int(),
    write_id: z.number().int().optional(),
    dry_run: z.boolean(),
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/undo' },
  cli: { noun: 'note', verb: 'undo', positionals: ['write_id'] },
  summarise: (out) =>
    `${out.dry_run ? 'Would take back' : 'Took back'} ${counted(out.undone.length, 'write')}, ${counted(out.notes_total, 'file')} changed${
      out.write_id === undefined ? '' : ` (write ${out.write_id})`
    }.`,
  render: (out) =>
    out.notes
      .map(({ path, action, diff }) => `${action} ${path}${diff === '' ? '' : `\n${diff}`}`)
      .join('\n'),
  run: async (vault, input) => {
    const result = await vault.undo({
      ...writeOptions('note_undo', input),
      ...(input.write_id !== undefined && { writeId: input.write_id }),
      ...(input.since !== undefined && { since: parseTime(input.since) }),
      ...(input.actor !== undefined && { actor: input.actor }),
      ...(input.mine && { session: vault.actor.session }),
    });
    return {
      undone: [...result.undone],
      notes: result.notes.slice(0, SHOWN_NOTES).map(({ path, action, diff }) => ({ path, action, diff })),
      notes_total: result.notes.length,
      ...(result.writeId !== undefined && { write_id: result.writeId }),
      dry_run: result.dryRun,
      ...notices([], result.notes.length),
    };
  },
});
