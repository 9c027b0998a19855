import * as z from 'zod';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { CatalogueTool } from '../catalogue.ts';
import { invalidParams, noSuch } from './failures.ts';
import { noteOf, noteToChange } from './target.ts';
import { tool } from './tool.ts';

const TYPES = ['text', 'list', 'number', 'checkbox', 'date', 'datetime'] as const;

/** As in Obsidian's commands, `name` is the property's name, so the note is given as file or path. */
const fields = {
  name: z.string().min(1).describe('Property name'),
  file: z.string().min(1).max(255).optional().describe('Note name, or exact path'),
  path: z.string().min(1).optional().describe('Exact path from the vault root; instead of file'),
};

const ALSO_CALLED = { property: 'name', key: 'name', note: 'file' };

const setProperty = tool({
  name: 'obsidian_set_property',
  description: 'Set a property of a note',
  fields: {
    ...fields,
    // A type is declared because strict clients refuse a property without one; other types are accepted.
    value: z.unknown().meta({ type: 'string', description: 'Its value' }),
    type: z.enum(TYPES).optional().describe('What a value given as text is'),
  },
  alsoCalled: ALSO_CALLED,
  operations: [noteRead, notePatch],
  async data({ name, file, path, value, type }, context) {
    if (value === undefined) throw invalidParams('value is required');
    const typed = meantValue(value, type);
    const note = await noteToChange({ name: file, path }, context);
    const op = { op: 'set_frontmatter', key: name, json: JSON.stringify(typed) };
    await context.run(notePatch, { path: note.path, ops: [op], if_match: note.etag });
    return { path: note.path, name, value: typed };
  },
});

const readProperty = tool({
  name: 'obsidian_read_property',
  description: 'Read a property of a note',
  fields,
  alsoCalled: ALSO_CALLED,
  operations: [noteRead],
  async data({ name, file, path }, context) {
    const note = await noteOf({ name: file, path }, context);
    const { key, value } = propertyOf(note, name);
    return { path: note.path, name: key, value };
  },
});

const removeProperty = tool({
  name: 'obsidian_remove_property',
  description: 'Remove a property from a note',
  fields,
  alsoCalled: ALSO_CALLED,
  operations: [noteRead, notePatch],
  async data({ name, file, path }, context) {
    const note = await noteToChange({ name: file, path }, context);
    const { key } = propertyOf(note, name);
    const op = { op: 'delete_frontmatter', key };
    await context.run(notePatch, { path: note.path, ops: [op], if_match: note.etag });
    return { path: note.path, name: key, removed: true };
  },
});

/** Finds a property by name, ignoring case. @throws JsonRpcError when there is none */
function propertyOf({ path, parsed }: OpenedNote, name: string) {
  const { properties = [] } = parsed.frontmatter ?? {};
  const found =
    properties.find(({ key }) => key === name) ??
    properties.find(({ key }) => key.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw noSuch('PROPERTY_NOT_FOUND', `Property not found in ${path}: ${name}`);
  return found;
}

/**
 * Converts a value by the given type: command lines send all values as text.
 * @throws JsonRpcError for a value of another type
 */
function meantValue(value: unknown, type: (typeof TYPES)[number] | undefined): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  switch (type) {
    case 'number':
      if (text === '' || !Number.isFinite(Number(text))) throw invalidParams(`value is no number: ${text}`);
      return Number(text);
    case 'checkbox':
      if (text !== 'true' && text !== 'false') throw invalidParams('value of a checkbox is true or false');
      return text === 'true';
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => item.trim());
    default:
      return value;
  }
}

export const PROPERTY_TOOLS: readonly CatalogueTool[] = [setProperty, readProperty, removeProperty];
