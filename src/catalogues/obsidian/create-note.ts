import * as z from 'zod';
import { isLecternError } from '../../errors.ts';
import { baseName, joinPath } from '../../notes/path.ts';
import { noteRead } from '../../operations/note-read.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { ToolContext } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';
import { obsidianUri } from './open-uri.ts';
import { withoutSlashes } from './target.ts';
import { tool } from './tool.ts';

export const createNote = tool({
  name: 'obsidian_create_note',
  description: 'Create a new note in the vault',
  fields: {
    name: z.string().min(1).max(255).describe('Note name (without .md extension) or exact path'),
    path: z.string().optional().describe('Directory of the note'),
    content: z.string().optional().describe('Initial note content (markdown)'),
    template: z.string().min(1).optional().describe('Name of the template to start from'),
    overwrite: z.boolean().optional().describe('Overwrite if file exists'),
    open: z.boolean().optional().describe('Open it in Obsidian: answers with the link that does'),
  },
  operations: [noteRead, noteWrite],
  async data({ name, path, content = '', template, overwrite = false, open }, context) {
    const { newNotes } = (await context.vault()).places();
    const to = pathOf(name, path ?? (name.includes('/') ? '' : newNotes));
    const body = template === undefined ? content : `${await begun(template, to, context)}${content}`;
    const { path: written, created } = await context.run(noteWrite, {
      path: to,
      body,
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

/**
 * The path of the note. Obsidian's commands take a whole path here, this tool a folder: both are accepted.
 */
function pathOf(name: string, path: string): string {
  const folder = withoutSlashes(path);
  if (/\.md$/i.test(folder)) return folder;
  const file = (/\.md$/i.test(name) ? name : `${name}.md`).replace(/^\/+/, '');
  return joinPath(folder, file);
}

/**
 * The text of a template for the note at a path; content follows it on a line of its own.
 * @throws JsonRpcError when there is no such template
 */
async function begun(template: string, path: string, { vault }: ToolContext): Promise<string> {
  const session = await vault();
  const { templates } = session.places();
  const title = baseName(path).replace(/\.md$/i, '');
  const file = /\.md$/i.test(template) ? template : `${template}.md`;
  try {
    const { parsed } = await session.open(joinPath(templates.folder, file));
    const text = templates.fill(parsed.text.replace(/^\ufeff/, ''), title);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  } catch (error) {
    if (!isLecternError(error) || error.code !== 'not_found') throw error;
    throw new JsonRpcError(-32_003, `Template not found: ${template}`, { errorCode: 'FILE_NOT_FOUND' });
  }
}
