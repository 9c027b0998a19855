import * as z from 'zod';
import type { WriteOptions, WriteResult } from '../../vault/write/types.ts';
import { leftAloneLines, leftAloneNotices, leftAloneObject, toLeftAlone } from './left-alone.ts';
import { counted, lines, noticed, paragraphs } from './rendering.ts';

/** The common input and output fields of writes. */

export const ifMatch = z
  .string()
  .min(1)
  .optional()
  .describe('Etag from note_read: refuse if the note changed since');

export const writeInput = {
  dry_run: z.boolean().default(false).describe('Show what would happen; change nothing'),
  idempotency_key: z.string().min(1).max(200).optional().describe('Repeats with this key replay the answer'),
};

export const exactNotePath = z.string().min(1).describe('Exact vault-relative path, e.g. Projects/Foo.md');

/** The effect of a write on one file. */
export const fileWriteOutput = {
  path: z.string(),
  /** Etag of the file after the write. */
  etag: z.string(),
  created: z.boolean(),
  /** False when the write had no effect. */
  changed: z.boolean(),
  bytes: z.number().int(),
  lines_added: z.number().int(),
  lines_removed: z.number().int(),
  /** Unified diff without headers, cut when long. */
  diff: z.string(),
  /** For note_undo; absent when nothing was written. */
  write_id: z.number().int().optional(),
  dry_run: z.boolean(),
};

/** Notes in which links were rewritten. */
export const relinkedOutput = z.array(z.object({ path: z.string(), links: z.number().int() }));

const writeOutputObject = z.object({
  ...fileWriteOutput,
  relinked: relinkedOutput,
  /**
   * One per replace_text: index of the op, number of places replaced, number of places that still contain the
   * old text.
   */
  replaced: z
    .array(
      z.object({
        op: z.number().int(),
        count: z.number().int(),
        left: z.number().int(),
        left_lines: z.array(z.number().int()),
      }),
    )
    .optional(),
  /** Set after rename_heading. */
  ...leftAloneObject.partial().shape,
  notice: z.string().optional(),
});
export type WriteOutput = z.output<typeof writeOutputObject>;
type FileWriteOutput = z.output<z.ZodObject<typeof fileWriteOutput>>;
type RelinkedOutput = z.output<typeof relinkedOutput>;

/** Common properties of operations that write one note. */
export const noteWriting = {
  scope: 'vault:write',
  effects: 'writes',
  answersFrom: 'store',
  toolset: 'write',
  output: writeOutputObject,
  summarise: summariseWrite,
  render: renderWrite,
} as const;

/** Limit of notes listed by name; the rest is counted. */
export const SHOWN_NOTES = 20;

export function toWriteOutput(result: WriteResult): WriteOutput {
  const { leftAlone } = result;
  const replaced = (result.replaced ?? []).map(({ op, count, left, leftLines }) => ({
    op,
    count,
    left,
    left_lines: [...leftLines],
  }));
  return {
    ...toFileWriteOutput(result),
    relinked: toRelinked(result.relinked),
    ...(replaced.length > 0 && { replaced }),
    ...(leftAlone && toLeftAlone(leftAlone)),
    ...notices(
      [...result.notices, ...(leftAlone ? leftAloneNotices(leftAlone) : [])],
      result.relinked.length,
    ),
  };
}

export function toFileWriteOutput(result: WriteResult): FileWriteOutput {
  return {
    path: result.path,
    etag: result.etag,
    created: result.created,
    changed: result.changed,
    bytes: result.bytes,
    lines_added: result.added,
    lines_removed: result.removed,
    diff: result.diff,
    ...(result.writeId !== undefined && { write_id: result.writeId }),
    dry_run: result.dryRun,
  };
}

export function toRelinked(relinked: Readonly<RelinkedOutput>): RelinkedOutput {
  return relinked.slice(0, SHOWN_NOTES).map(({ path, links }) => ({ path, links }));
}

/** Joins notices, and adds how many notes are not listed. */
export function notices(said: readonly string[], notes = 0): { notice?: string } {
  const cut = notes > SHOWN_NOTES ? [`${notes - SHOWN_NOTES} more notes are not listed here`] : [];
  const all = [...said.slice(0, 5), ...cut].map((notice) => notice.replace(/\.$/, ''));
  return all.length === 0 ? {} : { notice: all.join('; ') };
}

/** Converts the options of a write. An etag may have the quotes it has in HTTP. */
export function writeOptions(
  tool: string,
  input: { dry_run: boolean; if_match?: string | undefined },
): WriteOptions {
  const etag = input.if_match?.trim().replace(/^(?:W\/)?"(.*)"$/, '$1');
  return { tool, dryRun: input.dry_run, ...(etag !== undefined && { ifMatch: etag }) };
}

function summariseWrite(out: WriteOutput): string {
  return `${fileWriteText(out)}${replacedText(out)}${relinkedText(out.relinked)}${leftText(out)}${noticed(out.notice)}`;
}

/** The effect on the file, as a sentence. */
export function fileWriteText(out: FileWriteOutput): string {
  const what = out.created ? 'create' : out.changed ? 'change' : 'leave';
  const did = out.dry_run ? `Would ${what}` : { create: 'Created', change: 'Changed', leave: 'Left' }[what];
  const size = out.changed
    ? ` (+${out.lines_added} -${out.lines_removed} lines)`
    : ' as it is: nothing to change';
  const undo = out.write_id === undefined ? '' : `, write ${out.write_id}`;
  return `${did} ${out.path}${size}, etag ${out.etag}${undo}.`;
}

export function relinkedText(relinked: readonly { links: number }[]): string {
  if (relinked.length === 0) return '';
  const links = relinked.reduce((sum, note) => sum + note.links, 0);
  return ` ${counted(links, 'link')} in ${counted(relinked.length, 'note')} rewritten.`;
}

function replacedText({ replaced = [], dry_run }: WriteOutput): string {
  const all = replaced.map(({ count, left, left_lines: lines }) => {
    const places =
      lines.length === 0
        ? ''
        : ` (line ${lines.join(', ')}${lines.length >= 10 && left > lines.length ? ' …' : ''})`;
    const done = dry_run ? `${counted(count, 'place')} to replace` : `Replaced ${counted(count, 'place')}`;
    return ` ${done}${left === 0 ? '' : `, ${left} left as ${left === 1 ? 'it is' : 'they are'}${places}`}.`;
  });
  return all.join('');
}

function leftText({ left_alone_total: total = 0 }: WriteOutput): string {
  return total === 0 ? '' : ` ${counted(total, 'mention')} left alone.`;
}

function renderWrite(out: WriteOutput): string {
  return paragraphs(relinkedLines(out.relinked), leftAloneLines(out), out.diff);
}

export function relinkedLines(relinked: RelinkedOutput): string {
  return lines(relinked, ({ path, links }) => `${path}: ${counted(links, 'link')}`);
}
