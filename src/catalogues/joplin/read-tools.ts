import { joplinFacts, tagTitleKey } from '../../notes/dialects/joplin.ts';
import { baseName, dirName } from '../../notes/path.ts';
import { folderList } from '../../operations/folder-list.ts';
import { noteRead } from '../../operations/note-read.ts';
import { tagList } from '../../operations/tag-list.ts';
import type { CatalogueTool, VaultLookups } from '../catalogue.ts';
import { idOf, idsOf, tagId } from './ids.ts';
import { notebooks } from './notebooks.ts';
import { notebookIdOf, noteOfId } from './notes.ts';
import { count, requiredText, tool } from './tool.ts';

const readNote = tool({
  name: 'read_note',
  description:
    'Read one note: title, body, notebook, tags, to-do state and times. Page a long body with offset and max_chars: has_more tells whether something follows.',
  properties: {
    id: { type: 'string', description: 'The id of the note' },
    offset: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description:
        'Where in the body to begin: an index of UTF-16 code units, as body_offset + body_returned_chars',
    },
    max_chars: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Characters of the body at most; 0 = all',
    },
  },
  required: ['id'],
  operations: [noteRead],
  async payload(given, context) {
    const id = requiredText(given, 'id');
    const { note, facts, body } = await noteOfId(context, id);
    const session = await context.vault();
    const offset = count(given, 'offset', 0);
    const most = count(given, 'max_chars', 0) || body.length;
    const part = body.slice(offset, offset + most);
    const folder = dirName(note.path);
    return {
      id: await idOf(session, note.path, facts.id),
      title: facts.title,
      body: part,
      body_length: body.length,
      body_offset: offset,
      body_returned_chars: part.length,
      has_more: offset + part.length < body.length,
      notebook_id: await notebookIdOf(session, note.path),
      notebook_title: folder === '' ? null : baseName(folder),
      tags: facts.tags,
      is_todo: facts.isTodo,
      todo_completed: facts.isCompleted,
      created_time: facts.createdMs,
      updated_time: facts.updatedMs,
    };
  },
});

const listNotebooks = tool({
  name: 'list_notebooks',
  description:
    'List all notebooks, flat: id, title, the id of the notebook each lies in, and how many notes are directly in it.',
  properties: {},
  operations: [folderList],
  async payload(_, context) {
    const session = await context.vault();
    const folders = await notebooks(session);
    const ids = await idsOf(
      session,
      folders.map(({ path }) => path),
    );
    return {
      notebooks: folders.map(({ path, notes }) => ({
        id: ids.get(path) ?? '',
        title: baseName(path),
        parent_id: ids.get(dirName(path)) ?? null,
        note_count: notes,
      })),
    };
  },
});

const listTags = tool({
  name: 'list_tags',
  description: 'List the tags that at least one note has.',
  properties: {},
  operations: [tagList],
  async payload(_, context) {
    const titles = [...(await tagTitles(await context.vault())).values()];
    titles.sort((a, b) => (tagTitleKey(a) < tagTitleKey(b) ? -1 : 1));
    return { tags: titles.map((title) => ({ id: tagId(title), title })) };
  },
});

/** The titles of all tags by their keys, as spelled first. */
export async function tagTitles(session: VaultLookups): Promise<ReadonlyMap<string, string>> {
  await session.untilIndexed();
  const titles = new Map<string, string>();
  for await (const records of session.matching({}, 'path'))
    for (const title of records.flatMap((record) => joplinFacts(record).tags)) {
      const key = tagTitleKey(title);
      if (!titles.has(key)) titles.set(key, title);
    }
  return titles;
}

export const READ_TOOLS: readonly CatalogueTool[] = [readNote, listNotebooks, listTags];
