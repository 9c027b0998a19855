import { listedTags, tagTitleKey } from '../../notes/dialects/joplin.ts';
import { notePatch } from '../../operations/note-patch.ts';
import { ToolError } from './failures.ts';
import { idOf } from './ids.ts';
import { changeNote, noteOfId, openJoplinNote } from './notes.ts';
import { tagTitles } from './read-tools.ts';
import { requiredText, tool } from './tool.ts';

/** Titles that are tags in every program and place; other titles are tags in front matter only. */
const EVERYWHERE = /^(?=.*[^\d/])[\p{L}\p{N}\p{M}_/-]+$/u;

export const manageTags = tool({
  name: 'manage_tags',
  description:
    'Add and remove tags of a note by their titles. Tags to add that do not exist yet are created.',
  properties: {
    note_id: { type: 'string', description: 'The id of the note' },
    add: { type: 'array', items: { type: 'string' }, description: 'Titles of tags to add' },
    remove: { type: 'array', items: { type: 'string' }, description: 'Titles of tags to remove' },
  },
  required: ['note_id'],
  writes: true,
  operations: [notePatch],
  async payload(given, context) {
    const id = requiredText(given, 'note_id');
    const add = titles(given.add, 'add');
    const remove = titles(given.remove, 'remove');
    if (add.length + remove.length === 0) throw new ToolError('Pass at least one of "add" or "remove"');
    const found = await noteOfId(context, id);
    const session = await context.vault();
    const known = await tagTitles(session);
    // An existing tag is used in its own spelling.
    const added = add.map((title) => known.get(tagTitleKey(title)) ?? title);
    // The note's own tags are known even when the index is incomplete.
    const own = new Map(found.facts.tags.map((title) => [tagTitleKey(title), title]));
    const removed = remove.flatMap(
      (title) => own.get(tagTitleKey(title)) ?? known.get(tagTitleKey(title)) ?? [],
    );
    await changeNote(found, session, async ({ note, facts }) => {
      const listed = note.facts?.tags ?? listedTags(note.parsed.frontmatter?.data.tags);
      const ops = tagOps(facts.tags, listed, added, removed);
      if (ops.length > 0) await context.run(notePatch, { path: note.path, ops, if_match: note.etag });
    });
    const after = await openJoplinNote(session, found.note.path);
    return {
      note_id: await idOf(session, after.note.path, after.facts.id),
      added,
      removed,
      tags: after.facts.tags,
    };
  },
});

/** @throws ToolError unless it is a list of texts; blank ones are ignored */
function titles(given: unknown, name: string): string[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || !given.every((title) => typeof title === 'string'))
    throw new ToolError(`"${name}" must be an array of strings`);
  const trimmed = given.map((title) => title.trim().normalize('NFC')).filter((title) => title !== '');
  return [...new Map(trimmed.map((title) => [tagTitleKey(title), title])).values()];
}

/**
 * The ops that change the tags. Titles that are tags everywhere use the tag ops; for others the list in front
 * matter is set.
 */
function tagOps(
  has: readonly string[],
  listed: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): { op: string; [field: string]: unknown }[] {
  const keys = new Set(has.map(tagTitleKey));
  const wanted = new Set(added.map(tagTitleKey));
  const coming = added.filter((title) => !keys.has(tagTitleKey(title)));
  // A tag that is also added is not removed.
  const leaving = removed.filter((title) => keys.has(tagTitleKey(title)) && !wanted.has(tagTitleKey(title)));
  const isOdd = (title: string) => !EVERYWHERE.test(title);
  const gone = new Set(leaving.map(tagTitleKey));
  const staying = listed.filter((title) => !gone.has(tagTitleKey(title)));
  const ops: { op: string; [field: string]: unknown }[] = [];
  if ([...coming, ...leaving].some(isOdd)) {
    const plain = listed.filter((title) => !isOdd(title) || !gone.has(tagTitleKey(title)));
    ops.push({
      op: 'set_frontmatter',
      key: 'tags',
      json: JSON.stringify([...plain, ...coming.filter(isOdd)]),
    });
  }
  // Added first: a list that became empty in between would be written in another form.
  for (const tag of coming) if (!isOdd(tag)) ops.push({ op: 'add_tag', tag });
  for (const tag of leaving) if (!isOdd(tag)) ops.push({ op: 'remove_tag', tag });
  if (listed.length > 0 && staying.length + coming.length === 0)
    ops.push({ op: 'delete_frontmatter', key: 'tags' });
  return ops;
}
