import * as z from 'zod';
import type { LinkRecord } from '../../index/note-index.ts';
import type { Heading } from '../../notes/model.ts';
import type { ForwardLink, OpenedNote } from '../../vault/session.ts';
import { oneLine } from './rendering.ts';

/** Rows that describe parts of a note, as the operations that read notes and links answer them. */

export const headingRow = z.object({
  level: z.number().int(),
  /** As written, markup included. */
  text: z.string(),
  line: z.number().int(),
});

export function toHeadingRow(heading: Heading): z.output<typeof headingRow> {
  return { level: heading.level, text: heading.text, line: heading.line };
}

export const backlinkRow = z.object({
  source: z.string(),
  /** 1-based; 0 = a canvas, which has no lines. */
  line: z.number().int(),
  /** The linking line. */
  context: z.string(),
  embed: z.boolean(),
  /** Key of the property the link stands in; absent for links in the text. */
  property: z.string().optional(),
});

export function toBacklinkRow(link: LinkRecord): z.output<typeof backlinkRow> {
  return {
    source: link.source,
    line: link.line,
    context: oneLine(link.context, 120),
    embed: link.embed,
    ...(link.property !== undefined && { property: link.property }),
  };
}

export function backlinkLine(link: z.output<typeof backlinkRow>): string {
  return `${link.source}:${link.line}${kind(link)} ${link.context}`;
}

export const forwardRow = z.object({
  /** The path part as written. */
  written: z.string(),
  /** `#Heading` or `#^block`; absent when the link has none. */
  subpath: z.string().optional(),
  /** The file it leads to; absent when there is none. */
  target: z.string().optional(),
  resolved: z.boolean(),
  /** The file is there, but not the heading or block named by `subpath`. */
  subpath_missing: z.boolean().optional(),
  line: z.number().int(),
  embed: z.boolean(),
  property: z.string().optional(),
  /** Several files match equally well by Obsidian's rules; `target` is the one it opens. */
  ambiguous: z.boolean().optional(),
});

export function toForwardRow(link: ForwardLink): z.output<typeof forwardRow> {
  return {
    written: link.written,
    ...(link.subpath !== '' && { subpath: link.subpath }),
    ...(link.target !== undefined && { target: link.target }),
    resolved: link.target !== undefined,
    ...(link.subpathMissing && { subpath_missing: true }),
    line: link.line,
    embed: link.embed,
    ...(link.property !== undefined && { property: link.property }),
    ...(link.ambiguous && { ambiguous: true }),
  };
}

export function forwardLine(link: z.output<typeof forwardRow>): string {
  const target = link.target ?? 'unresolved';
  const missing = link.subpath_missing ? ` [no ${link.subpath}]` : '';
  return `${link.line}: ${link.written}${link.subpath ?? ''} → ${target}${kind(link)}${missing}${link.ambiguous ? ' [ambiguous]' : ''}`;
}

function kind(link: { embed: boolean; property?: string | undefined }): string {
  return `${link.embed ? ' [embed]' : ''}${link.property === undefined ? '' : ` [property ${link.property}]`}`;
}

/** The notice for a conflict copy made by a sync program. */
export function copyNotice({ copyOf }: OpenedNote): string | undefined {
  return copyOf && `a sync program made this copy of ${copyOf}: read and change that note instead`;
}

/** What a lenient read resolved the caller's spelling to, or undefined when it was exact. */
export function spelling(note: OpenedNote, asked: string): string | undefined {
  if (note.resolvedBy === 'exact') return undefined;
  const how = {
    case: 'ignoring case',
    extension: 'by adding the extension',
    name: 'by its file name',
    page: 'by its page name',
  };
  return `'${oneLine(asked, 100)}' was read as ${note.path} (${how[note.resolvedBy]})`;
}
