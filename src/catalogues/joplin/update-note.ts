import { COMPLETED, joplinFileName, joplinTimeText, withPlainProperty } from '../../notes/dialects/joplin.ts';
import { dirName, joinPath, stem } from '../../notes/path.ts';
import { noteMove } from '../../operations/note-move.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { ToolContext, VaultLookups } from '../catalogue.ts';
import { type BodyChanges, bodyChanges, changedBody } from './body-changes.ts';
import { idOf } from './ids.ts';
import { requiredFolder } from './notebooks.ts';
import { changeNote, type JoplinNote, noteOfId, openJoplinNote } from './notes.ts';
import { atFreePlace, fileNameOf } from './places.ts';
import { filledText, optionalText, requiredText, tool } from './tool.ts';

interface Changes {
  readonly title: string | undefined;
  readonly body: BodyChanges | undefined;
  readonly isCompleted: boolean | undefined;
}

export const updateNote = tool({
  name: 'update_note',
  description:
    'Change a note: title, body, notebook or to-do state. For small changes of the body use prepend, append (both as they are, without a line break added) or replace_text, whose "find" has to stand in the body exactly once; "body" replaces it whole and overrides them.',
  properties: {
    id: { type: 'string', description: 'The id of the note' },
    title: { type: 'string', description: 'The new title' },
    body: { type: 'string', description: 'The whole new body' },
    append: { type: 'string', description: 'Text to add at the end of the body' },
    prepend: { type: 'string', description: 'Text to add at the start of the body' },
    replace_text: {
      type: 'object',
      description: 'Text of the body to replace',
      properties: {
        find: { type: 'string', description: 'The text there is; it has to be unique' },
        replace: { type: 'string', description: 'The text that takes its place' },
      },
      required: ['find', 'replace'],
    },
    notebook_id: { type: 'string', description: 'The notebook to move it to' },
    todo_completed: { type: 'boolean', description: 'Whether the to-do is done' },
  },
  required: ['id'],
  writes: true,
  operations: [noteWrite, noteMove],
  async payload(given, context) {
    const id = requiredText(given, 'id');
    const found = await noteOfId(context, id);
    const notebookId = filledText(given.notebook_id);
    const folder = notebookId === undefined ? undefined : await requiredFolder(context, notebookId);
    const { todo_completed: isCompleted } = given;
    const changes: Changes = {
      title: optionalText(given, 'title'),
      body: bodyChanges(given),
      isCompleted: typeof isCompleted === 'boolean' ? isCompleted : undefined,
    };
    const session = await context.vault();
    const own = await idOf(session, found.note.path, found.facts.id);
    const place = placeFor(found, changes.title, folder, session);
    // Errors of the second write must be found before the first one.
    if (place !== undefined) await move(found, place, context, true);
    await write(found, changes, context);
    const path = place === undefined ? found.note.path : await move(found, place, context, false);
    return { id: own, updated_time: (await openJoplinNote(session, path)).facts.updatedMs };
  },
});

/** The new path without extension: a file named after the title gets the new one. */
function placeFor(
  { note, facts }: JoplinNote,
  title: string | undefined,
  folder: string | undefined,
  session: VaultLookups,
) {
  const name = stem(note.path);
  const isNamedByTitle =
    name.replace(/-\d+$/, '') === fileNameOf(facts.title, session) ||
    name === fileNameOf(facts.title, session);
  const wanted =
    title !== undefined && title !== facts.title && isNamedByTitle ? fileNameOf(title, session) : name;
  const place = joinPath(folder ?? dirName(note.path), wanted);
  return `${place}.md` === note.path ? undefined : place;
}

async function move(
  { note }: JoplinNote,
  place: string,
  context: ToolContext,
  isTrial: boolean,
): Promise<string> {
  const moved = await atFreePlace(place, (free) =>
    `${free}.md` === note.path
      ? Promise.resolve({ to: note.path })
      : context.run(noteMove, { from: note.path, to: `${free}.md`, dry_run: isTrial }),
  );
  return moved.to;
}

async function write(first: JoplinNote, changes: Changes, context: ToolContext): Promise<void> {
  const session = await context.vault();
  await changeNote(first, session, async (current) => {
    const changed = changedText(current, changes, session);
    if (changed === undefined) return;
    const { text, properties } = changed;
    await context.run(noteWrite, {
      path: current.note.path,
      body: text,
      whole: true,
      if_match: current.note.etag,
      ...(Object.keys(properties).length > 0 && { frontmatter: properties }),
    });
  });
}

/** The new text of the note, and the properties to set in it that need more than a plain line. */
function changedText(
  { note, facts, head, body }: JoplinNote,
  { title, body: changes, isCompleted }: Changes,
  { keepsFacts }: Pick<VaultLookups, 'keepsFacts'>,
): { text: string; properties: Record<string, unknown> } | undefined {
  const { frontmatter } = note.parsed;
  const properties: Record<string, unknown> = {};
  const isNamed =
    frontmatter?.data.title !== undefined || (title !== undefined && joplinFileName(title) !== title);
  // In a running app the title is changed by the move that follows.
  if (title !== undefined && title !== facts.title && isNamed && !keepsFacts) properties.title = title;
  const plain: [key: string, value: string][] = [];
  if (isCompleted !== undefined) plain.push([COMPLETED, isCompleted ? 'yes' : 'no']);
  if (frontmatter?.data.updated !== undefined) plain.push(['updated', joplinTimeText(Date.now())]);
  let front = head;
  for (const [key, value] of plain) {
    const isPlain = frontmatter?.kind !== 'logseq' && !keepsFacts;
    const next = isPlain ? withPlainProperty(front, key, value) : undefined;
    if (next === undefined) properties[key] = value;
    else front = next;
  }
  const text = front + (changes === undefined ? body : changedBody(body, changes));
  return text === head + body && Object.keys(properties).length === 0 ? undefined : { text, properties };
}
