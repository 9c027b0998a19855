import * as z from 'zod';
import { isLecternError, LecternError } from '../../errors.ts';
import type { ListFilter } from '../../index/note-index.ts';
import type { FileCondition } from '../../notes/file-condition.ts';
import type { Span } from '../../notes/model.ts';
import { findHeading } from '../../notes/structure/outline.ts';
import { sectionBody } from '../../notes/structure/section-body.ts';
import type { OpenedNote, VaultSession } from '../../vault/session.ts';
import { bareTag, tagName } from './fields.ts';
import { counted } from './rendering.ts';
import { parseTime } from './time.ts';

/** Default and largest number of notes of one scope. */
const NOTES = { usual: 50, most: 500 };
/** Limit of text of one call, UTF-16 code units: notes beyond it are left out and named. */
const SCOPE_CHARACTERS = 4_000_000;
/** Limit of notes named in an answer; the rest is counted. */
const NAMED = 20;

/**
 * Which notes an AI tool works on: all conditions must hold, none means the whole vault. One flat object,
 * the same in every tool. A key it does not have is refused, since leaving it out would widen the scope.
 */
export const aiScope = z
  .strictObject({
    paths: z.array(z.string().min(1)).min(1).max(NOTES.most).optional().describe('These notes'),
    path_glob: z.string().min(1).optional().describe('e.g. Projects/**'),
    tag: z.array(tagName).min(1).optional().describe('With all of these tags'),
    query: z.string().min(1).optional().describe('Found by this search, best first'),
    heading: z.string().min(1).optional().describe('Of each note only this section'),
    since: z.string().min(1).optional().describe('Changed since: 2026-01-31, or an age such as 7d'),
    max_notes: z.number().int().min(1).max(NOTES.most).default(NOTES.usual),
  })
  .describe('Which notes; all conditions must hold');
export type AiScope = z.output<typeof aiScope>;

const LEFT_OUT_REASONS = [
  /** No such note, or the caller may not read it. */
  'not_found',
  /** Several notes have this name. */
  'ambiguous',
  /** It does not meet another condition of the scope. */
  'not_in_scope',
  /** It has no section with the heading, or several. */
  'no_heading',
  'ambiguous_heading',
  /** It has no text there. */
  'empty',
  'unreadable',
  /** Its bytes cannot be read now. */
  'unavailable',
  /** Beyond max_notes. */
  'max_notes',
  /** Beyond the text limit of one call. */
  'too_large',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** The part of an answer that describes its notes. */
export const scopeOutput = {
  /** The first twenty notes that were read. */
  notes: z.array(z.object({ path: z.string(), etag: z.string(), heading: z.string().optional() })),
  notes_total: z.number().int(),
  /** The first twenty notes that were not. */
  left_out: z.array(z.object({ path: z.string(), reason: z.enum(LEFT_OUT_REASONS) })),
  left_out_total: z.number().int(),
};

/** A note of a scope, in the version that was read. */
export interface ScopedNote {
  readonly note: OpenedNote;
  /** The part of the text in scope: everything below the properties, or one section. */
  readonly span: Span;
  /** The requested heading; undefined = the whole note. */
  readonly heading: string | undefined;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: LeftOutReason;
}

export interface ResolvedScope {
  /** In the order of `paths`, of the search, or else by path (newest first with `since`). */
  readonly taken: readonly ScopedNote[];
  /** The named ones only; see {@link leftOutTotal}. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutTotal: number;
}

/**
 * Reads the notes of a scope through the caller's session. A path that names a hidden note is answered like
 * one that does not exist.
 *
 * @throws LecternError `invalid_input` for an invalid time; `invalid_path`
 */
export async function resolveScope(
  vault: VaultSession,
  scope: AiScope,
  signal: AbortSignal,
): Promise<ResolvedScope> {
  const candidates = await candidatesOf(vault, scope);
  const leftOut: LeftOut[] = [];
  let beyond = candidates.beyond;
  const taken: ScopedNote[] = [];
  const seen = new Set<string>();
  let room = SCOPE_CHARACTERS;
  for (const path of candidates.paths) {
    signal.throwIfAborted();
    if (taken.length === scope.max_notes) {
      if (leftOut.length < 2 * NAMED) leftOut.push({ path, reason: 'max_notes' });
      else beyond += 1;
      continue;
    }
    const found = await openScoped(vault, path, scope);
    if ('reason' in found) leftOut.push(found);
    else if (seen.has(found.note.path)) continue;
    else if (candidates.allowed?.has(found.note.path) === false)
      leftOut.push({ path: found.note.path, reason: 'not_in_scope' });
    else if (found.span.end - found.span.start > room)
      leftOut.push({ path: found.note.path, reason: 'too_large' });
    else {
      room -= found.span.end - found.span.start;
      seen.add(found.note.path);
      taken.push(found);
    }
  }
  return { taken, leftOut, leftOutTotal: leftOut.length + beyond };
}

interface Candidates {
  readonly paths: readonly string[];
  /** Number of notes beyond max_notes that are not named. */
  readonly beyond: number;
  /** When the caller named paths: the notes among them that meet the other conditions. */
  readonly allowed?: ReadonlySet<string>;
}

async function candidatesOf(vault: VaultSession, scope: AiScope): Promise<Candidates> {
  const filter = listFilter(scope);
  const isNarrowed = filter.pathGlob !== undefined || filter.tags !== undefined || scope.since !== undefined;
  if (scope.paths !== undefined) {
    const paths = [...new Set(scope.paths)];
    if (!isNarrowed && scope.query === undefined) return { paths, beyond: 0 };
    return { paths, beyond: 0, allowed: await meeting(vault, paths, filter, scope) };
  }
  // Some more than are read, so that an answer can name notes that it leaves out.
  const limit = scope.max_notes + NAMED;
  const page =
    scope.query === undefined
      ? await vault.list(filter, scope.since === undefined ? 'path' : '-mtime', { limit })
      : await vault.search({ query: scope.query, mode: 'hybrid', filter, limit });
  return {
    paths: page.items.map(({ path }) => path),
    beyond: Math.max(0, page.total - page.items.length),
  };
}

/** The filter of a scope for queries of the index. */
export function listFilter(scope: Pick<AiScope, 'path_glob' | 'tag' | 'since'>): ListFilter {
  const since: FileCondition | undefined =
    scope.since === undefined ? undefined : { kind: 'number', of: 'mtime', min: parseTime(scope.since) };
  return {
    kinds: ['note'],
    ...(scope.path_glob !== undefined && { pathGlob: scope.path_glob }),
    ...(scope.tag !== undefined && { tags: scope.tag.map(bareTag) }),
    ...(since && { where: since }),
  };
}

/** The notes named by these paths that meet the other conditions. */
async function meeting(
  vault: VaultSession,
  paths: readonly string[],
  filter: ListFilter,
  scope: AiScope,
): Promise<ReadonlySet<string>> {
  const named: string[] = [];
  for (const path of paths) {
    const { exists, path: spelled } = await vault.exists(path);
    if (exists && spelled !== undefined) named.push(spelled);
  }
  if (named.length === 0) return new Set();
  const among: FileCondition = { kind: 'any', of: named.map((path) => ({ kind: 'path', path })) };
  const where: FileCondition =
    filter.where === undefined ? among : { kind: 'all', of: [filter.where, among] };
  // A path may match two files that differ only in case.
  const limit = 2 * named.length;
  const narrowed = { ...filter, where };
  const { items } =
    scope.query === undefined
      ? await vault.list(narrowed, 'path', { limit })
      : await vault.search({ query: scope.query, mode: 'hybrid', filter: narrowed, limit });
  return new Set(items.map(({ path }) => path));
}

async function openScoped(vault: VaultSession, path: string, scope: AiScope): Promise<ScopedNote | LeftOut> {
  let note: OpenedNote;
  try {
    note = await vault.open(path);
  } catch (error) {
    const reason = isLecternError(error) ? REASONS[error.code] : undefined;
    if (reason === undefined) throw error;
    return { path, reason };
  }
  const place = regionOf(note, scope.heading);
  if (typeof place === 'string') return { path: note.path, reason: place };
  const isEmpty = note.parsed.text.slice(place.start, place.end).trim() === '';
  return isEmpty ? { path: note.path, reason: 'empty' } : { note, span: place, heading: scope.heading };
}

const REASONS: Readonly<Partial<Record<LecternError['code'], LeftOutReason>>> = {
  not_found: 'not_found',
  ambiguous: 'ambiguous',
  invalid_input: 'unreadable',
  unavailable: 'unavailable',
  too_large: 'too_large',
};

function regionOf({ parsed }: OpenedNote, heading: string | undefined): Span | LeftOutReason {
  if (heading === undefined) return { start: parsed.bodyStart, end: parsed.text.length };
  const found = findHeading(parsed, heading);
  if (found.kind === 'found') return sectionBody(parsed, found.heading).span;
  return found.kind === 'none' ? 'no_heading' : 'ambiguous_heading';
}

/** The notes that were read and left out, as output. */
export function toScopeOutput({ taken, leftOut, leftOutTotal }: ResolvedScope) {
  return {
    notes: taken.slice(0, NAMED).map(({ note, heading }) => ({
      path: note.path,
      etag: note.etag,
      ...(heading !== undefined && { heading }),
    })),
    notes_total: taken.length,
    left_out: leftOut.slice(0, NAMED).map(({ path, reason }) => ({ path, reason })),
    left_out_total: leftOutTotal,
  };
}

/** For example `3 notes (2 left out: Foo.md not_found, …)`. */
export function scopeText(output: {
  readonly notes_total: number;
  readonly left_out: readonly LeftOut[];
  readonly left_out_total: number;
}): string {
  const { left_out: named, left_out_total: total } = output;
  if (total === 0) return counted(output.notes_total, 'note');
  const first = named.slice(0, 3).map(({ path, reason }) => `${path} ${reason}`);
  const more = total > first.length ? ', …' : '';
  return `${counted(output.notes_total, 'note')} (${total} left out: ${first.join(', ')}${more})`;
}

/** @throws LecternError `not_found` when nothing is left to work on */
export function assertSomething(scope: ResolvedScope): void {
  if (scope.taken.length > 0) return;
  const { left_out, left_out_total } = toScopeOutput(scope);
  throw new LecternError('not_found', 'No note is in this scope.', {
    details: { left_out, left_out_total },
    next: 'Widen the scope, or look with note_list or vault_search which notes there are.',
  });
}
