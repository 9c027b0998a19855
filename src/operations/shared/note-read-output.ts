import * as z from 'zod';
import { backlinkRow, forwardRow, headingRow } from './note-parts.ts';

export const noteReadOutput = z.object({
  path: z.string(),
  title: z.string(),
  etag: z.string(),
  /** Verbatim; UTF-16 offsets `offset` to `offset + body.length` of the text or section. */
  body: z.string(),
  /** 1-based line in the file on which `body` starts. */
  line: z.number().int(),
  offset: z.number().int(),
  /** UTF-16 units of the whole text, or of the section or block asked for. */
  total_chars: z.number().int(),
  has_more: z.boolean(),
  next_offset: z.number().int().optional(),
  modified: z.string(),
  /** The section's heading as written, markup included. */
  heading: z.string().optional(),
  block_id: z.string().optional(),
  frontmatter: z.record(z.string(), z.unknown()).optional(),
  /** Why the front matter cannot be read in full. */
  frontmatter_problems: z.array(z.string()).optional(),
  outline: z.array(headingRow).optional(),
  outline_total: z.number().int().optional(),
  links: z.array(forwardRow).optional(),
  links_total: z.number().int().optional(),
  backlinks: z.array(backlinkRow).optional(),
  backlinks_total: z.number().int().optional(),
  tags: z.array(z.string()).optional(),
  stats: z
    .object({
      bytes: z.number().int(),
      chars: z.number().int(),
      words: z.number().int(),
      headings: z.number().int(),
      links: z.number().int(),
      tasks: z.number().int(),
      tasks_done: z.number().int(),
      created: z.string(),
    })
    .optional(),
  notice: z.string().optional(),
});

export type NoteReadOutput = z.output<typeof noteReadOutput>;
