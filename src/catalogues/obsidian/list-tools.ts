import * as z from 'zod';
import { isLecternError } from '../../errors.ts';
import { tagKey } from '../../notes/structure/tags.ts';
import { noteList } from '../../operations/note-list.ts';
import { noteRead } from '../../operations/note-read.ts';
import { propertyList } from '../../operations/property-list.ts';
import { propertyValues } from '../../operations/property-values.ts';
import { tagList } from '../../operations/tag-list.ts';
import { tagNotes } from '../../operations/tag-notes.ts';
import type { CatalogueTool } from '../catalogue.ts';
import { noSuch } from './failures.ts';
import { everyRow, format, table, totalOnly } from './table.ts';
import { noteIfNamed, TARGET_NAMES, target } from './target.ts';
import { tool } from './tool.ts';

const sort = z.enum(['name', 'count']).optional().describe('By name (default) or by number of notes');

const listTags = tool({
  name: 'obsidian_list_tags',
  description: 'Tags of the vault, or of one note, with the number of notes that carry each',
  fields: { ...target, sort, total: totalOnly, format },
  alsoCalled: TARGET_NAMES,
  operations: [tagList, noteRead],
  async data(input, context) {
    const note = await noteIfNamed(input, context);
    const all = await everyRow(
      (cursor) => context.run(tagList, { limit: 500, cursor }),
      (answer) => answer.tags,
    );
    const own = note && new Set(note.parsed.tags.map(tagKey));
    const rows = all
      .filter(({ tag }) => own === undefined || own.has(tagKey(tag)))
      .map(({ tag, notes }) => ({ tag, count: notes }));
    return {
      ...(note && { path: note.path }),
      ...table(
        'tags',
        sorted(rows, ({ tag }) => tag, input.sort),
        input,
      ),
    };
  },
});

const tagInfo = tool({
  name: 'obsidian_get_tag_info',
  description: 'How many notes carry a tag, and which',
  fields: {
    name: z.string().min(1).describe('Tag name, with or without #'),
    verbose: z.boolean().optional().describe('With the notes (default true)'),
    total: totalOnly,
  },
  alsoCalled: { tag: 'name' },
  operations: [tagNotes],
  async data({ name, verbose = true, total = false }, { run }) {
    const notes = await everyRow(
      (cursor) => run(tagNotes, { tag: name, limit: 200, cursor }),
      (answer) => answer.notes,
    );
    const tag = name.replace(/^#+/, '');
    if (notes.length === 0) throw noSuch('TAG_NOT_FOUND', `Tag not found: #${tag}`);
    if (total) return { total: notes.length };
    return { tag, count: notes.length, ...(verbose && { files: notes.map(({ path }) => path) }) };
  },
});

const listAliases = tool({
  name: 'obsidian_list_aliases',
  description: 'Aliases of the notes in the vault, or of one note',
  fields: { ...target, total: totalOnly, format },
  alsoCalled: TARGET_NAMES,
  operations: [noteList, noteRead],
  async data(input, context) {
    const note = await noteIfNamed(input, context);
    const session = await context.vault();
    await session.untilIndexed(context.signal);
    const records = await everyRow(
      async (cursor) => {
        const page = await session.list({ kinds: ['note'] }, 'path', {
          limit: 200,
          ...(cursor !== undefined && { cursor }),
        });
        return { ...page, next_cursor: page.nextCursor };
      },
      (page) => page.items,
    );
    const rows = records
      .filter(({ path }) => note === undefined || path === note.path)
      .flatMap(({ path, aliases }) => aliases.map((alias) => ({ alias, path })));
    return { ...(note && { path: note.path }), ...table('aliases', rows, input) };
  },
});

const listProperties = tool({
  name: 'obsidian_list_properties',
  description: 'Properties that the notes of the vault have, or those of one note with their values',
  fields: { ...target, sort, total: totalOnly, format },
  alsoCalled: TARGET_NAMES,
  operations: [propertyList, noteRead],
  async data(input, context) {
    const note = await noteIfNamed(input, context);
    if (note !== undefined) {
      const { properties = [] } = note.parsed.frontmatter ?? {};
      const rows = properties.map(({ key, value }) => ({ name: key, value }));
      return { path: note.path, ...table('properties', rows, input) };
    }
    const all = await everyRow(
      (cursor) => context.run(propertyList, { limit: 100, cursor }),
      (answer) => answer.properties,
    );
    const rows = all.map(({ name, notes, types }) => ({ name, type: types[0]?.type ?? '', count: notes }));
    return table(
      'properties',
      sorted(rows, ({ name }) => name, input.sort),
      input,
    );
  },
});

const propertyCount = tool({
  name: 'obsidian_get_property_count',
  description: 'How many notes have a property',
  fields: { name: z.string().min(1).describe('Property name') },
  alsoCalled: { property: 'name' },
  operations: [propertyValues],
  async data({ name }, { run }) {
    try {
      const { name: written, notes } = await run(propertyValues, { name, limit: 1 });
      return { name: written, count: notes };
    } catch (error) {
      if (isLecternError(error) && error.code === 'not_found') return { name, count: 0 };
      throw error;
    }
  },
});

function sorted<Row extends { readonly count: number }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  by: 'name' | 'count' = 'name',
): Row[] {
  const byName = (one: Row, other: Row) => (nameOf(one).toLowerCase() < nameOf(other).toLowerCase() ? -1 : 1);
  return [...rows].sort((one, other) => (by === 'count' ? other.count - one.count : 0) || byName(one, other));
}

export const LIST_TOOLS: readonly CatalogueTool[] = [
  listTags,
  tagInfo,
  listAliases,
  listProperties,
  propertyCount,
];
