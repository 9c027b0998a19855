import * as z from 'zod';
import { LineIndex } from '../notes/text.ts';
import { operation } from './operation.ts';
import { isoTime, notePath, withNotice } from './shared/fields.ts';
import { copyNotice, spelling } from './shared/note-parts.ts';
import { noteReadOutput } from './shared/note-read-output.ts';
import { NOTE_PARTS, readParts } from './shared/note-read-parts.ts';
import { renderNote } from './shared/note-read-rendering.ts';
import { regionOf } from './shared/note-section.ts';
import { noticed } from './shared/rendering.ts';
import { textWindow } from './shared/text.ts';

const DEFAULT_CHARS = 20_000;
const MAX_CHARS = 100_000;

export const noteRead = operation({
  name: 'note_read',
  title: 'Read a note',
  description:
    'The text of a note below its front matter, verbatim: all, one section or one block. Keep the etag for writes. Page long notes with offset.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  asksIndex: ({ include = [] }) => include.includes('links') || include.includes('backlinks'),
  places: ['path'],
  toolset: 'core',
  input: z.object({
    path: notePath,
    include: z.array(z.enum(NOTE_PARTS)).optional().describe('What to add to the text'),
    heading: z.string().min(1).optional().describe('Only this section, e.g. Plan, ## Plan or A > Plan'),
    block_id: z.string().min(1).optional().describe('Only this block, e.g. ^a1b2'),
    offset: z.number().int().min(0).default(0).describe('next_offset of the last page'),
    max_chars: z.number().int().min(1).max(MAX_CHARS).default(DEFAULT_CHARS),
  }),
  output: noteReadOutput,
  rest: { method: 'GET', path: '/v1/notes/{path}' },
  cli: { noun: 'note', verb: 'get', positionals: ['path'] },
  summarise: (out) => {
    const part = out.heading ?? (out.block_id === undefined ? '' : `^${out.block_id}`);
    const end = out.offset + out.body.length;
    const range =
      out.offset === 0 && !out.has_more
        ? `${out.total_chars} characters`
        : `characters ${out.offset}-${end} of ${out.total_chars}${out.has_more ? `, cut; next: offset ${out.next_offset}` : ''}`;
    return `${out.path}${part === '' ? '' : ` › ${part}`} (etag ${out.etag}, line ${out.line}, ${range}).${noticed(out.notice)}`;
  },
  render: renderNote,
  run: async (vault, input) => {
    const note = await vault.open(input.path);
    const part = regionOf(note, input);
    const region = note.parsed.text.slice(part.span.start, part.span.end);
    const window = textWindow(region, input.offset, input.max_chars);
    const hasMore = window.end < region.length;
    const extra = await readParts(vault, note, new Set(input.include));
    return {
      path: note.path,
      title: note.title,
      etag: note.etag,
      body: region.slice(window.start, window.end),
      line: new LineIndex(note.parsed.text).lineAt(part.span.start + window.start),
      offset: window.start,
      total_chars: region.length,
      has_more: hasMore,
      ...(hasMore && { next_offset: window.end }),
      modified: isoTime(note.mtimeMs),
      ...(part.heading !== undefined && { heading: part.heading }),
      ...(part.blockId !== undefined && { block_id: part.blockId }),
      ...extra,
      ...withNotice(spelling(note, input.path), copyNotice(note)),
    };
  },
});
