import * as z from 'zod';
import type { ListFilter } from '../index/note-index.ts';
import { operation } from './operation.ts';
import { bareTag, noteRow, pageInput, pageOutput, sessionPage, tagName, toNoteRow } from './shared/fields.ts';
import { counted, lines, noteLine, noticed, shown } from './shared/rendering.ts';

const SORTS = [
  'path',
  '-path',
  'mtime',
  '-mtime',
  'ctime',
  '-ctime',
  'title',
  '-title',
  'size',
  '-size',
] as const;

export const noteList = operation({
  name: 'note_list',
  title: 'List notes',
  description:
    'List notes by folder, tag or property, newest first with sort "-mtime". To find text use vault_search.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'core',
  input: z.object({
    path_glob: z.string().min(1).optional().describe('e.g. Projects/** or **/2026-*.md'),
    tag: tagName.optional().describe('With or without #; nested tags match'),
    frontmatter: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Properties to equal, e.g. {"status":"open"}; a list matches by element'),
    sort: z.enum(SORTS).default('path'),
    ...pageInput(15, 200),
  }),
  output: z.object({ notes: z.array(noteRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/notes' },
  cli: { noun: 'note', verb: 'list' },
  summarise: (out) => `${counted(out.total, 'note')}${shown(out, out.notes.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.notes, noteLine),
  run: async (vault, input) => {
    const filter: ListFilter = {
      kinds: ['note'],
      ...(input.path_glob !== undefined && { pathGlob: input.path_glob }),
      ...(input.tag !== undefined && { tags: [bareTag(input.tag)] }),
      ...(input.frontmatter !== undefined && { frontmatter: input.frontmatter }),
    };
    const page = await vault.list(filter, input.sort, sessionPage(input));
    return {
      notes: page.items.map(toNoteRow),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
