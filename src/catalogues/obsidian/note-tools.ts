import * as z from 'zod';
import { baseName, dirName, joinPath } from '../../notes/path.ts';
import { noteDelete } from '../../operations/note-delete.ts';
import { noteMove } from '../../operations/note-move.ts';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { createNote } from './create-note.ts';
import { invalidParams } from './failures.ts';
import { insertInline } from './inline.ts';
import { obsidianUri } from './open-uri.ts';
import { noteOf, noteToChange, plainName, TARGET_NAMES, target, withoutSlashes } from './target.ts';
import { tool } from './tool.ts';

const NOTE_ENDING = /\.md$/i;

const readNote = tool({
  name: 'obsidian_read_note',
  description: 'Read the contents of a note',
  fields: target,
  alsoCalled: TARGET_NAMES,
  operations: [noteRead],
  async data(input, context) {
    const { path, parsed } = await noteOf(input, context);
    return { path, content: parsed.text };
  },
});

const added = {
  ...target,
  content: z.string().describe('Markdown to add'),
};

const appendNote = tool({
  name: 'obsidian_append_note',
  description: 'Append content to a note',
  fields: { ...added, inline: z.boolean().optional().describe('Without a line break before it') },
  alsoCalled: TARGET_NAMES,
  operations: insertInline.operations,
  async data(input, context) {
    const note = await noteToChange(input, context);
    if (input.inline === true) await insertInline.at('end', note, input.content, context);
    else await patched(note.path, { op: 'append_body', markdown: input.content }, context);
    return { path: note.path, appended: true };
  },
});

const prependNote = tool({
  name: 'obsidian_prepend_note',
  description: 'Prepend content to a note, after its properties',
  fields: { ...added, inline: z.boolean().optional().describe('Without a line break after it') },
  alsoCalled: TARGET_NAMES,
  operations: insertInline.operations,
  async data(input, context) {
    const note = await noteToChange(input, context);
    if (input.inline === true) await insertInline.at('start', note, input.content, context);
    else await patched(note.path, { op: 'prepend_body', markdown: input.content }, context);
    return { path: note.path, prepended: true };
  },
});

const deleteNote = tool({
  name: 'obsidian_delete_note',
  description: 'Delete a note: it is moved to the trash',
  fields: {
    ...target,
    permanent: z.boolean().optional().describe('Taken, but a note can always be brought back here'),
  },
  alsoCalled: TARGET_NAMES,
  operations: [noteRead, noteDelete],
  async data(input, { run, ...context }) {
    const { path } = await noteToChange(input, { run, ...context });
    const { trash_path, broken_links } = await run(noteDelete, { path });
    return {
      path,
      deleted: true,
      permanent: false,
      ...(trash_path !== undefined && { trashPath: trash_path }),
      brokenLinks: broken_links,
    };
  },
});

const moveNote = tool({
  name: 'obsidian_move_note',
  description: 'Move a note to another folder or path; links to it are updated',
  fields: { ...target, to: z.string().min(1).describe('Destination folder, or path that ends in .md') },
  alsoCalled: TARGET_NAMES,
  operations: [noteRead, noteMove],
  async data({ to, ...input }, context) {
    const { path } = await noteToChange(input, context);
    const place = withoutSlashes(to);
    const isPath = NOTE_ENDING.test(place) && !to.endsWith('/');
    return await moved(path, isPath ? place : joinPath(place, baseName(path)), context);
  },
});

const renameNote = tool({
  name: 'obsidian_rename_note',
  description: 'Rename a note in its folder; links to it are updated',
  fields: {
    path: target.path,
    file: target.name,
    name: z.string().min(1).max(255).optional().describe('New name; the note is then given by path or file'),
    new_name: z.string().min(1).max(255).optional().describe('New name; the note is then given by name too'),
  },
  alsoCalled: { newName: 'new_name' },
  operations: [noteRead, noteMove],
  async data({ path, file, name, new_name: newName }, context) {
    const isNamed = path !== undefined || file !== undefined;
    const wanted = newName ?? (isNamed ? name : undefined);
    if (wanted === undefined) return missingName();
    const note = await noteToChange({ path, name: file ?? (isNamed ? undefined : name) }, context);
    const next = plainName(wanted);
    const renamed = NOTE_ENDING.test(next) ? next : `${next}.md`;
    return await moved(note.path, joinPath(dirName(note.path), renamed), context);
  },
});

const openNote = tool({
  name: 'obsidian_open_note',
  description: 'Open a note in Obsidian: answers with the link that does',
  fields: { ...target, newtab: z.boolean().optional().describe('In a new tab') },
  alsoCalled: { ...TARGET_NAMES, newTab: 'newtab', new_tab: 'newtab' },
  operations: [noteRead],
  async data(input, context) {
    const { path } = await noteOf(input, context);
    return { path, opened: false, uri: await obsidianUri(path, context, input.newtab) };
  },
});

const fileInfo = tool({
  name: 'obsidian_file_info',
  description: 'Path, name, size and times of a note',
  fields: target,
  alsoCalled: TARGET_NAMES,
  operations: [noteRead],
  async data(input, context) {
    const { path, size, birthtimeMs, mtimeMs } = await noteOf(input, context);
    const name = baseName(path);
    const dot = name.lastIndexOf('.');
    return {
      path,
      name: name.slice(0, dot),
      extension: name.slice(dot + 1),
      size,
      created: new Date(birthtimeMs).toISOString(),
      modified: new Date(mtimeMs).toISOString(),
    };
  },
});

function missingName(): never {
  throw invalidParams('new_name is required, or path or file with name');
}

async function patched(path: string, op: { op: string; markdown: string }, { run }: ToolContext) {
  await run(notePatch, { path, ops: [op] });
}

async function moved(from: string, to: string, { run }: ToolContext) {
  const done = await run(noteMove, { from, to });
  return { path: done.to, from, to: done.to, linksUpdated: done.links };
}

export const NOTE_TOOLS: readonly CatalogueTool[] = [
  createNote,
  readNote,
  appendNote,
  prependNote,
  deleteNote,
  moveNote,
  renameNote,
  openNote,
  fileInfo,
];
