import * as z from 'zod';
import { operation } from './operation.ts';
import {
  exactNotePath,
  ifMatch,
  noteWriting,
  toWriteOutput,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

export const noteWrite = operation({
  name: 'note_write',
  title: 'Create or replace a note',
  description:
    'Create a note, or replace the text of one. An existing note keeps its properties unless the body brings its own `---` block. To change a part of a note use note_patch. Pass if_match when you replace something you read, if_not_exists when it must be new.',
  ...noteWriting,
  places: ['path'],
  idempotent: true,
  input: z.object({
    path: exactNotePath,
    body: z.string().describe('Markdown'),
    frontmatter: z.record(z.string(), z.unknown()).optional().describe('Properties to set; others stay'),
    whole: z.boolean().default(false).describe('The body is all: properties it does not bring are removed'),
    if_match: ifMatch,
    if_not_exists: z.boolean().default(false).describe('Refuse if the note exists'),
    ...writeInput,
  }),
  rest: { method: 'PUT', path: '/v1/notes/{path}' },
  cli: { noun: 'note', verb: 'update', positionals: ['path'] },
  run: async (vault, input) =>
    toWriteOutput(
      await vault.write(
        input.path,
        {
          body: input.body,
          whole: input.whole,
          ...(input.frontmatter && { frontmatter: input.frontmatter }),
        },
        { ...writeOptions('note_write', input), ifNotExists: input.if_not_exists },
      ),
    ),
});
