import * as z from 'zod';
import { REINDEX_MS } from '../budgets.ts';
import { operation } from './operation.ts';
import { counted } from './shared/rendering.ts';

export const vaultReindex = operation({
  name: 'vault_reindex',
  title: 'Rebuild the index',
  description:
    'Read and parse every file again. Notes are not touched and can be read and written meanwhile. Only needed when answers disagree with the files.',
  scope: 'vault:admin',
  effects: 'adds',
  answersFrom: 'store',
  places: [],
  limitMs: REINDEX_MS,
  toolset: 'admin',
  idempotent: true,
  input: z.object({}),
  output: z.object({
    notes: z.number().int(),
    files: z.number().int(),
    ms: z.number().int(),
  }),
  rest: { method: 'POST', path: '/v1/vault/reindex' },
  cli: { noun: 'vault', verb: 'reindex' },
  summarise: (out) =>
    `Indexed ${counted(out.files, 'file')} (${counted(out.notes, 'note')}) in ${out.ms} ms.`,
  render: () => '',
  run: async (vault, _input, { signal, progress }) => {
    const started = performance.now();
    await vault.reindex(progress, signal);
    const { counts } = await vault.status();
    return { notes: counts.notes, files: counts.files, ms: Math.round(performance.now() - started) };
  },
});
