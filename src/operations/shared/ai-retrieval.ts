import type { Found } from '../../ai/extractive/answer.ts';
import { type Source, sourceOf } from '../../ai/grounding/source.ts';
import { isLecternError } from '../../errors.ts';
import type { ListFilter } from '../../index/note-index.ts';

import type { SearchRequest, VaultSession } from '../../vault/session.ts';
import { sectionAt } from './ai-reading.ts';
import { type AiScope, listFilter, type ResolvedScope, resolveScope, type ScopedNote } from './ai-scope.ts';

type SearchMode = SearchRequest['mode'];

export interface Retrieved {
  /** Passages found by the search, best first, followed by those of linked notes. */
  readonly passages: readonly Found[];
  /** Number of passages found by the search itself. */
  readonly hits: number;
  readonly modeUsed: SearchMode;
  readonly notice: string | undefined;
  /** The notes of the passages, and notes of the scope that were left out. */
  readonly scope: ResolvedScope;
}

export interface Retrieval {
  readonly question: string;
  readonly scope: AiScope | undefined;
  readonly mode: SearchMode;
  readonly topK: number;
  /** Limit of notes added because they are linked with a found note. */
  readonly neighbours: number;
}

/** Limits of found notes whose links are followed, and of links of each. */
const FOLLOWED = 3;
const LINKS = 20;
/** The scope of a search that is limited by a filter only. */
const WHOLE = { taken: [], leftOut: [], leftOutTotal: 0 } as const;

/**
 * Finds the passages that may answer a question, by lexical and semantic search, and those of linked notes.
 */
export async function retrieve(
  vault: VaultSession,
  { question, scope, mode, topK, neighbours }: Retrieval,
  signal: AbortSignal,
): Promise<Retrieved> {
  const resolved = scope && isNamed(scope) ? await resolveScope(vault, scope, signal) : undefined;
  const named = resolved && new Map(resolved.taken.map((each) => [each.note.path, each]));
  const filter: ListFilter = {
    ...(scope ? listFilter(scope) : { kinds: ['note'] as const }),
    ...among(named),
  };
  if (named?.size === 0) {
    const nothing = { passages: [], hits: 0, modeUsed: mode, notice: undefined };
    return { ...nothing, scope: resolved ?? WHOLE };
  }
  const answer = await vault.search({ query: question, mode, filter, limit: topK });
  const passages: Found[] = [];
  const taken: ScopedNote[] = [];
  const seen = new Set<string>();
  const take = async (path: string, line: number, score: number) => {
    signal.throwIfAborted();
    if (seen.has(path) || (named && !named.has(path))) return;
    seen.add(path);
    const scoped = named?.get(path) ?? (await opened(vault, path));
    if (scoped === undefined) return;
    const source = sourceOf(scoped.note);
    const span = sectionAt(source, line, scoped.span);
    if (span.end <= span.start) return;
    passages.push({ source, span, line, score });
    taken.push(scoped);
  };
  for (const { path, line, score } of answer.items) await take(path, line, score);
  const hits = passages.length;
  if (neighbours > 0) {
    const near = await neighboursOf(vault, answer.items.slice(0, FOLLOWED), seen);
    const best = await bestOf(vault, question, mode, filter, near, neighbours);
    for (const { path, line, score } of best) await take(path, line, score);
  }
  return {
    passages,
    hits,
    modeUsed: answer.modeUsed,
    notice: answer.notice,
    scope: { taken, leftOut: resolved?.leftOut ?? [], leftOutTotal: resolved?.leftOutTotal ?? 0 },
  };
}

/** Whether the scope must be resolved before the search, because a filter cannot express it. */
function isNamed({ paths, query, heading }: AiScope): boolean {
  return paths !== undefined || query !== undefined || heading !== undefined;
}

function among(named: ReadonlyMap<string, unknown> | undefined): Pick<ListFilter, 'where'> {
  if (named === undefined) return {};
  return { where: { kind: 'any', of: [...named.keys()].map((path) => ({ kind: 'path', path }) as const) } };
}

async function opened(vault: VaultSession, path: string): Promise<ScopedNote | undefined> {
  try {
    const note = await vault.open(path);
    const { bodyStart, text } = note.parsed;
    return { note, span: { start: bodyStart, end: text.length }, heading: undefined };
  } catch (error) {
    // The index may contain a note that was just removed or cannot be read.
    if (isLecternError(error)) return undefined;
    throw error;
  }
}

/** Notes linked with found ones that were not found themselves. */
async function neighboursOf(
  vault: VaultSession,
  found: readonly { readonly path: string }[],
  seen: ReadonlySet<string>,
): Promise<readonly string[]> {
  const near = new Set<string>();
  for (const { path } of found) {
    const [forward, back] = await Promise.all([
      vault.forward(path, { limit: LINKS }),
      vault.backlinks(path, { limit: LINKS }),
    ]);
    for (const { target } of forward.items) if (target !== undefined) near.add(target);
    for (const { source } of back.items) near.add(source);
  }
  return [...near].filter((path) => !seen.has(path));
}

/** The notes among these that match the question, best first. */
async function bestOf(
  vault: VaultSession,
  question: string,
  mode: SearchMode,
  filter: ListFilter,
  paths: readonly string[],
  limit: number,
) {
  if (paths.length === 0) return [];
  const narrow = among(new Map(paths.map((path) => [path, path]))).where;
  const where = filter.where && narrow ? ({ kind: 'all', of: [filter.where, narrow] } as const) : narrow;
  const { items } = await vault.search({
    query: question,
    mode,
    filter: { ...filter, ...(where && { where }) },
    limit,
  });
  return items;
}

/** The sources of passages, one per note. */
export function sourcesOf(passages: readonly Found[]): readonly Source[] {
  return [...new Map(passages.map(({ source }) => [source.path, source])).values()];
}
