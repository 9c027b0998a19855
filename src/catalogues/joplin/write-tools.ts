import { COMPLETED, joplinFileName, joplinNoteText } from '../../notes/dialects/joplin.ts';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { baseName, joinPath } from '../../notes/path.ts';
import { folderCreate } from '../../operations/folder-create.ts';
import { noteDelete } from '../../operations/note-delete.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { ToolError } from './failures.ts';
import { idOf } from './ids.ts';
import { manageTags } from './manage-tags.ts';
import { newest, notebooks, requiredFolder } from './notebooks.ts';
import { notebookIdOf, noteOfId } from './notes.ts';
import { atFreePlace, fileNameOf } from './places.ts';
import { filledText, optionalText, requiredText, tool } from './tool.ts';
import { updateNote } from './update-note.ts';

const createNote = tool({
  name: 'create_note',
  description:
    'Create a note in a notebook; without notebook_id in the one that was made last. Set is_todo for a to-do.',
  properties: {
    title: { type: 'string', description: 'The title' },
    body: { type: 'string', description: 'The body, Markdown' },
    notebook_id: { type: 'string', description: 'The notebook it goes into' },
    is_todo: { type: 'boolean', description: 'Whether it is a to-do' },
  },
  required: ['title'],
  writes: true,
  operations: [noteWrite],
  async payload(given, context) {
    const title = requiredText(given, 'title', 'Missing or invalid "title" parameter');
    const { is_todo: isTodo = false } = given;
    if (typeof isTodo !== 'boolean') throw new ToolError('"is_todo" must be a boolean');
    const body = optionalText(given, 'body') ?? '';
    const folder = await folderFor(given, context);
    const session = await context.vault();
    const content = session.keepsFacts
      ? { body, frontmatter: factsOfNew(title, isTodo) }
      : { body: joplinNoteText({ title, body, isTodo, nowMs: Date.now() }) };
    const { path } = await atFreePlace(joinPath(folder, fileNameOf(title, session)), (place) =>
      context.run(noteWrite, { path: `${place}.md`, ...content, if_not_exists: true }),
    );
    return { id: await idOf(session, path), title, notebook_id: await notebookIdOf(session, path) };
  },
});

/** The facts of a new note, for a store that keeps them beside the text. */
function factsOfNew(title: string, isTodo: boolean): Record<string, string> {
  return { ...(nameOf(title) !== title && { title }), ...(isTodo && { [COMPLETED]: 'no' }) };
}

/** @throws ToolError when the notebook does not exist, or there is none */
async function folderFor(given: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string> {
  const id = filledText(given.notebook_id);
  if (id === undefined) {
    const last = newest(await notebooks(await context.vault()));
    if (last === undefined)
      throw new ToolError('No notebook available. Create one first or pass notebook_id.');
    return last.path;
  }
  return await requiredFolder(context, id);
}

const deleteNote = tool({
  name: 'delete_note',
  description: 'Move a note to the trash, from which the user can bring it back.',
  properties: { id: { type: 'string', description: 'The id of the note' } },
  required: ['id'],
  writes: true,
  operations: [noteDelete],
  async payload(given, context) {
    const id = requiredText(given, 'id');
    const { note, facts } = await noteOfId(context, id);
    // The id must be read before the note is in the trash.
    const own = await idOf(await context.vault(), note.path, facts.id);
    await context.run(noteDelete, { path: note.path });
    return { id: own, trashed: true };
  },
});

const createNotebook = tool({
  name: 'create_notebook',
  description: 'Create a notebook, at the top or inside another one.',
  properties: {
    title: { type: 'string', description: 'The title' },
    parent_id: { type: 'string', description: 'The notebook it goes into' },
  },
  required: ['title'],
  writes: true,
  operations: [folderCreate],
  async payload(given, context) {
    const title = requiredText(given, 'title');
    const parentId = filledText(given.parent_id);
    const parent = parentId === undefined ? '' : await requiredFolder(context, parentId, 'Parent notebook');
    const { path } = await atFreePlace(joinPath(parent, joplinFileName(title)), (place) =>
      context.run(folderCreate, { path: place }),
    );
    const session = await context.vault();
    return {
      id: await idOf(session, path),
      title: baseName(path),
      parent_id: parent === '' ? null : await idOf(session, parent),
    };
  },
});

export const WRITE_TOOLS: readonly CatalogueTool[] = [
  createNote,
  updateNote,
  deleteNote,
  manageTags,
  createNotebook,
];
