import * as z from 'zod';
import { operation } from './operation.ts';
import { notePath, withNotice } from './shared/fields.ts';
import { noticed } from './shared/rendering.ts';

export const noteExists = operation({
  name: 'note_exists',
  title: 'Does a note exist?',
  description:
    'Whether a path exists in the vault, in which spelling and as what kind of file. An absent note is an answer, not an error; a name that several notes have is one.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  places: ['path'],
  toolset: 'core',
  input: z.object({ path: notePath }),
  output: z.object({
    exists: z.boolean(),
    /** On-disk spelling, or the requested path when nothing exists. */
    path: z.string(),
    /** Absent when nothing exists. */
    kind: z.enum(['note', 'canvas', 'base', 'attachment']).optional(),
    /**
     * False when a cloud drive holds the text, which must be downloaded before it can be read; absent
     * otherwise.
     */
    downloaded: z.boolean().optional(),
    notice: z.string().optional(),
  }),
  rest: { method: 'HEAD', path: '/v1/notes/{path}' },
  cli: { noun: 'note', verb: 'exists', positionals: ['path'], waitsForIndex: true },
  summarise: (out) => {
    const kind = out.downloaded === false ? `${out.kind}, in a cloud drive and not downloaded` : out.kind;
    return `${out.path} ${out.exists ? `exists (${kind})` : 'does not exist'}.${noticed(out.notice)}`;
  },
  render: () => '',
  run: async (vault, input) => {
    const found = await vault.exists(input.path);
    // An existing file was found in the store; other spellings and bare names are found in the index.
    const staleness = found.exists ? undefined : vault.staleness();
    return {
      ...withNotice(staleness),
      exists: found.exists,
      path: found.path ?? input.path,
      ...(found.exists && found.kind !== undefined && { kind: found.kind }),
      ...(found.exists && !found.isDownloaded && { downloaded: false }),
    };
  },
});
