import * as z from 'zod';
import { noteWrite } from '../../operations/note-write.ts';
import { obsidianUri } from './open-uri.ts';
import { tool } from './tool.ts';

export const createNote = tool({
  name: 'obsidian_create_note',
  description: 'Create a new note in the vault',
  fields: {
    name: z.string().min(1).max(255).describe('Note name (without .md extension) or exact path'),
    path: z.string().optional().describe('Directory of the note'),
    content: z.string().optional().describe('Initial note content (markdown)'),
    overwrite: z.boolean().optional().describe('Overwrite if file exists'),
    open: z.boolean().optional().describe('Open it in Obsidian: answers with the link that does'),
  },
  operations: [noteWrite],
  async data({ name, path, content = '', overwrite = false, open }, context) {
    const { path: written, created } = await context.run(noteWrite, {
      path: pathOf(name, path),
      body: content,
      if_not_exists: !overwrite,
    });
    return {
      path: written,
      created,
      ...(open !== undefined && { opened: false }),
      ...(open === true && { uri: await obsidianUri(written, context) }),
    };
  },
});

/** Commands of Obsidian take the whole path where this takes the folder: both are understood. */
function pathOf(name: string, path = ''): string {
  const folder = path.replace(/^\/+|\/+$/g, '');
  if (/\.md$/i.test(folder)) return folder;
  const file = /\.md$/i.test(name) ? name : `${name}.md`;
  return folder === '' ? file.replace(/^\/+/, '') : `${folder}/${file.replace(/^\/+/, '')}`;
}
