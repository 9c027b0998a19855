import * as z from 'zod';
import { LONG_CALL_MS } from '../budgets.ts';
import { operation } from './operation.ts';
import { noteWriting, toWriteOutput, writeInput, writeOptions } from './shared/write-fields.ts';

export const trashRestore = operation({
  name: 'trash_restore',
  title: 'Bring a note back from the trash',
  description: 'Bring a deleted file back to where it was, or to another path. Never overwrites.',
  ...noteWriting,
  effects: 'adds',
  places: ['trash_path', 'to'],
  limitMs: LONG_CALL_MS,
  input: z.object({
    trash_path: z.string().min(1).describe('From trash_list or note_delete'),
    to: z.string().min(1).optional().describe('Another place, e.g. when its old one is taken'),
    with_ancestors: z
      .boolean()
      .default(false)
      .describe('With the notes in whose folders it lay, from the trash too'),
    ...writeInput,
  }),
  rest: { method: 'POST', path: '/v1/trash/restore' },
  cli: { noun: 'trash', verb: 'restore', positionals: ['trash_path', 'to'] },
  run: async (vault, input) =>
    toWriteOutput(
      await vault.trashRestore(input.trash_path, input.to, {
        ...writeOptions('trash_restore', input),
        withAncestors: input.with_ancestors,
      }),
    ),
});
