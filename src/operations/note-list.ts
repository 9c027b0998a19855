import * as z from 'zod';
import type { ListFilter } from '../index/note-index.ts';
import { operation } from './operation.ts';
import {
  bareTag,
  noteRow,
  pageInput,
  pageOutput,
  sessionPage,
  tagName,
  toNoteRow,
  withNotice,
} from './shared/fields.ts';
import { listWhere } from './shared/note-where.ts';
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
    'List notes by folder, tag, property or expression, newest first with sort "-mtime". To find text use vault_search.',
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
    where: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe('One expression of Bases, e.g. rating >= 4 && due < today() + "7d"'),
    sort: z.enum(SORTS).default('path'),
    ...pageInput(15, 200),
  }),
  output: z.object({ notes: z.array(noteRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/notes' },
  cli: { noun: 'note', verb: 'list' },
  summarise: (out) => `${counted(out.total, 'note')}${shown(out, out.notes.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.notes, noteLine),
  run: async (vault, input, { signal }) => {
    const filter: ListFilter = {
      kinds: ['note'],
      ...(input.path_glob !== undefined && { pathGlob: input.path_glob }),
      ...(input.tag !== undefined && { tags: [bareTag(input.tag)] }),
      ...(input.frontmatter !== undefined && { frontmatter: input.frontmatter }),
    };
    const { where, sort } = input;
    const asked = sessionPage(input);
    const page =
      where === undefined
        ? { ...(await vault.list(filter, sort, asked)), notices: [] }
        : await listWhere(vault, { where, filter, sort }, asked, 'note_list', signal);
    return {
      notes: page.items.map(toNoteRow),
      total: page.total,
      next_cursor: page.nextCursor,
      ...withNotice(...page.notices),
    };
  },
});
