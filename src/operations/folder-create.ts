import * as z from 'zod';
import { operation } from './operation.ts';
import { writeInput, writeOptions } from './shared/write-fields.ts';

export const folderCreate = operation({
  name: 'folder_create',
  title: 'Make a folder',
  description:
    'Make a folder with nothing in it, and those it lies in. Notes make the folders they need by themselves, so this is for folders that stay empty.',
  scope: 'vault:write',
  effects: 'adds',
  answersFrom: 'store',
  places: ['path'],
  toolset: 'folders',
  input: z.object({
    path: z.string().min(1).describe('Vault-relative, e.g. Projects/2026'),
    ...writeInput,
  }),
  output: z.object({
    path: z.string(),
    write_id: z.number().int().optional(),
    dry_run: z.boolean(),
  }),
  rest: { method: 'PUT', path: '/v1/folders/{path}' },
  cli: { noun: 'folder', verb: 'create', positionals: ['path'] },
  summarise: (out) =>
    `${out.dry_run ? 'Would make' : 'Made'} ${out.path}/${out.write_id === undefined ? '' : `, write ${out.write_id}`}.`,
  render: () => '',
  run: async (vault, input) => {
    const made = await vault.makeFolder(input.path, writeOptions('folder_create', input));
    return {
      path: made.path,
      ...(made.writeId !== undefined && { write_id: made.writeId }),
      dry_run: made.dryRun,
    };
  },
});
