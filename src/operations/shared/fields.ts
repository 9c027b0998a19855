import * as z from 'zod';
import type { SessionPage } from '../../vault/session.ts';

/** Input fields and output shapes that several operations share. */

export const notePath = z.string().min(1).describe('Vault-relative path, e.g. Projects/Foo.md');

/**
 * @param fallback default number of rows
 * @param max largest number of rows
 */
export function pageInput(fallback: number, max: number) {
  return {
    limit: z.number().int().min(1).max(max).default(fallback),
    cursor: z.string().optional().describe('next_cursor of the previous page'),
  };
}

export const pageOutput = {
  /** Rows of the whole answer, not of the page. */
  total: z.number().int(),
  /** `null` on the last page. */
  next_cursor: z.string().nullable(),
  /** A remark about the answer: the index is still being built, the spelling was corrected. */
  notice: z.string().optional(),
};

export function sessionPage(input: { limit: number; cursor?: string | undefined }): SessionPage {
  return input.cursor === undefined ? { limit: input.limit } : { limit: input.limit, cursor: input.cursor };
}

export const tagName = z.string().min(1);

/** Removes a leading `#`: tags are accepted with or without it. */
export function bareTag(tag: string): string {
  return tag.replace(/^#+/, '');
}

const SEPARATOR = '; ';

/** Adds `notice` only when there is one. */
export function withNotice(...notices: readonly (string | undefined)[]): { notice?: string } {
  const said = notices.filter((notice) => notice !== undefined && notice !== '');
  return said.length === 0 ? {} : { notice: said.join(SEPARATOR) };
}

/** Prefix of a notice that an answer may be incomplete, see `VaultSession.staleness`. */
const STALENESS = /^(?:index|store): /;

/**
 * Whether a notice says that the server of the notes does not answer; reads are then answered from the index
 * too.
 */
export function isAwayNotice(staleness: string | undefined): boolean {
  return staleness?.startsWith('store: ') === true;
}

/** The answer with a notice about the index first. */
export function withIndexNotice<Output extends { notice?: unknown }>(
  output: Output,
  staleness: string | undefined,
): Output {
  if (staleness === undefined) return output;
  const { notice, ...rest } = output;
  const notices = withNotice(staleness, typeof notice === 'string' ? notice : undefined);
  return { ...notices, ...rest } as Output;
}

/** Splits a notice into the part about the index and the rest. */
export function splitNotice(notice: unknown): { index: string | undefined; rest: string | undefined } {
  if (typeof notice !== 'string') return { index: undefined, rest: undefined };
  if (!STALENESS.test(notice)) return { index: undefined, rest: notice };
  const end = notice.indexOf(SEPARATOR);
  if (end < 0) return { index: notice, rest: undefined };
  return { index: notice.slice(0, end), rest: notice.slice(end + SEPARATOR.length) };
}

export const copyField = {
  /** Only present for a conflict copy made by a sync program: the note to read and change instead. */
  conflict_copy_of: z.string().optional(),
};

export const noteRow = z.object({
  path: z.string(),
  title: z.string(),
  /** ISO 8601, UTC, seconds. */
  modified: z.string(),
  tags: z.array(z.string()),
  ...copyField,
});

export function toNoteRow(note: {
  path: string;
  title: string;
  mtimeMs: number;
  tags: readonly string[];
  copyOf?: string;
}): z.output<typeof noteRow> {
  const { path, title, mtimeMs, tags, copyOf } = note;
  return { path, title, modified: isoTime(mtimeMs), tags: unique(tags), ...copyMark(copyOf) };
}

export function copyMark(copyOf: string | undefined): { conflict_copy_of?: string } {
  return copyOf === undefined ? {} : { conflict_copy_of: copyOf };
}

/** ISO 8601, UTC, seconds. @param ms milliseconds since the epoch */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19)}Z`;
}

function unique(tags: readonly string[]): string[] {
  return [...new Set(tags)];
}
