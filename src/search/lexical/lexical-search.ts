import type { LexicalHit, ListFilter, NoteIndexReader, PathFilter } from '../../index/note-index.ts';
import { type Copies, conflictCopiesOf } from '../conflict-copies.ts';
import { decodeCursor, encodeCursor, pageSize, type SearchCursor } from '../cursor.ts';
import { Pacer } from '../pacer.ts';
import { type Normal, normalize } from '../query/normal.ts';
import { parseQuery } from '../query/parser.ts';
import { type Alternative, plan } from '../query/plan.ts';
import { describeHits } from '../snippet/describe-hits.ts';
import { highlightsOf, signedWords, typedWords, type WordMatching } from '../snippet/highlight.ts';
import type { SearchAnswer, SearchRequest } from '../types.ts';
import { Evaluator } from './evaluate.ts';
import { MatchCollector, narrowed } from './match-collector.ts';
import { relax, WINDOW, type WordQuery } from './query-relaxation.ts';
import { type RankedHit, rank } from './rank.ts';
import { hitsWithSigns, keepSigned } from './with-signs.ts';

export interface LexicalSearchOptions {
  /** What the caller may see; everything when left out. */
  readonly visible?: PathFilter;
  /** Time for finding and evaluating, ms; what is found by then is answered, with a notice. Default 2000. */
  readonly budgetMs?: number;
  readonly signal?: AbortSignal;
  /** Clock for recency, ms since the epoch. */
  readonly now?: () => number;
}

const DEFAULT_BUDGET_MS = 2000;
const NOTHING_ASKED =
  'The query has no words to search for; type words, a "phrase" or an operator such as tag:#name.';
export const TIME_UP = 'The search took too long and was stopped; notes that were not looked at are missing.';

/**
 * Lexical search: the query in Obsidian's grammar, plain words by the index's words (stemmed, without
 * diacritics), relaxed step by step while nothing is found; operators and regular expressions by
 * substring on the notes' own text. Every query is valid; what was relaxed, cut or not understood is
 * said in `notice`.
 * @param request `limit` is held to 1..50; `mode` is ignored
 * @returns hits by score (see rank.ts), equal scores by path; `total` counts all of them
 * @throws LecternError `invalid_input` for a cursor that is not of this search
 */
export async function lexicalSearch(
  reader: NoteIndexReader,
  request: SearchRequest,
  options: LexicalSearchOptions = {},
): Promise<SearchAnswer> {
  const { visible } = options;
  const key = [request.query, request.filter, visible?.key];
  const cursor = request.cursor === undefined ? undefined : decodeCursor(request.cursor, key);
  const time = cursor?.time ?? Math.floor(options.now?.() ?? Date.now());
  const { root, notices } = parseQuery(request.query);
  const normal = root && normalize(root);
  const alternatives = normal ? plan(normal) : [];
  if (!normal || alternatives.length === 0) {
    return answer({ items: [], total: 0, nextCursor: null }, [...notices, NOTHING_ASKED]);
  }
  const pacer = new Pacer(options.budgetMs ?? DEFAULT_BUDGET_MS, options.signal);
  const evaluator = new Evaluator(pacer, request.dialect);
  for (const alternative of alternatives) evaluator.prepare([...alternative.rest, ...alternative.paths]);
  const search: Search = {
    reader,
    pacer,
    evaluator,
    normal,
    filter: request.filter,
    visible,
    limit: pageSize(request.limit),
    start: cursor ?? { window: '', offset: 0, time },
  };
  const words = wordQuery(search, alternatives);
  const found = words ? await searchWords(search, words) : await searchNotes(search, alternatives);
  const items = await describeHits(
    reader,
    found.page,
    highlightsOf(normal, found.matching),
    normal,
    pacer,
    evaluator,
  );
  const nextCursor = found.next && encodeCursor(found.next, key);
  const said = [...notices, ...evaluator.notices, ...found.notices];
  return {
    ...answer({ items, total: found.total, nextCursor }, said),
    // Without time, fewer readings of the words and fewer texts are tried as well.
    isPartial: found.isPartial || pacer.expired,
  };
}

interface Search {
  readonly reader: NoteIndexReader;
  readonly pacer: Pacer;
  readonly evaluator: Evaluator;
  readonly normal: Normal;
  readonly filter: ListFilter;
  readonly visible: PathFilter | undefined;
  readonly limit: number;
  readonly start: SearchCursor;
}

interface Found {
  readonly page: readonly RankedHit[];
  readonly total: number;
  readonly next: SearchCursor | null;
  readonly matching: WordMatching;
  readonly notices: readonly string[];
  readonly isPartial: boolean;
}

function answer(
  page: Pick<SearchAnswer, 'items' | 'total' | 'nextCursor'>,
  notices: readonly string[],
): SearchAnswer {
  return { ...page, modeUsed: 'lexical', notice: notices.length > 0 ? notices.join(' ') : undefined };
}

/** The query as words alone, when the index can answer it without looking at the notes. */
function wordQuery(
  { filter, visible, evaluator }: Search,
  alternatives: readonly Alternative[],
): WordQuery | undefined {
  const [first] = alternatives;
  if (!first || first.terms.length === 0) return undefined;
  if (alternatives.length === 1) {
    if (first.rest.length > 0) return undefined;
    return {
      terms: first.terms,
      any: false,
      excluded: first.excluded,
      filter: { ...filter, tags: [...(filter.tags ?? []), ...first.tags] },
      visible: narrowed(visible, first, evaluator),
    };
  }
  const single = alternatives.every(
    ({ terms, excluded, tags, paths, rest }) =>
      terms.length === 1 && excluded.length + tags.length + paths.length + rest.length === 0,
  );
  if (!single) return undefined;
  return { terms: alternatives.flatMap(({ terms }) => terms), any: true, excluded: [], filter, visible };
}

async function searchWords(search: Search, words: WordQuery): Promise<Found> {
  const relaxed = await relax(search.reader, words, search.pacer);
  const signed = signedWords(search.normal);
  const unquoted = signed.filter(({ quoted }) => !quoted);
  const preferred = await hitsWithSigns(search.reader, relaxed.query, unquoted, words.visible, search.pacer);
  const preferredPaths = new Set(preferred.map(({ path }) => path));
  const page: RankedHit[] = [];
  let at: SearchCursor | null = search.start;
  while (at && page.length < search.limit) {
    const position: SearchCursor = at;
    const window =
      position.window === ''
        ? relaxed.first
        : await search.reader.lexical(relaxed.query, {
            limit: WINDOW,
            cursor: position.window,
            visible: words.visible,
          });
    // Those that are preferred come with the first window, from wherever they are.
    const others = window.items.filter(({ path }) => !preferredPaths.has(path));
    const hits = position.window === '' ? [...preferred, ...others] : others;
    const ranked = rank(hits, {
      words: typedWords(search.normal, relaxed.matching.corrections),
      whole: relaxed.whole,
      time: search.start.time,
      signed: signed.map(({ needle }) => needle),
      preferred: preferredPaths,
      copies: await copiesAmong(search, hits),
    });
    const end = position.offset + search.limit - page.length;
    page.push(...ranked.slice(position.offset, end));
    if (end < ranked.length) at = { ...position, offset: end };
    else at = window.nextCursor === null ? null : { ...position, window: window.nextCursor, offset: 0 };
  }
  return {
    page,
    total: relaxed.first.total,
    next: at,
    matching: relaxed.matching,
    notices: relaxed.notice === undefined ? [] : [relaxed.notice],
    isPartial: false,
  };
}

function copiesAmong({ reader, visible }: Search, hits: readonly LexicalHit[]): Promise<Copies> {
  return conflictCopiesOf(reader).among(
    hits.map(({ path }) => path),
    visible,
  );
}

/** Operators: every matching note is collected first, then ranked and cut into pages. */
async function searchNotes(search: Search, alternatives: readonly Alternative[]): Promise<Found> {
  const { reader, evaluator, pacer, filter, visible, start, limit } = search;
  const notices: string[] = [];
  let prefix = false;
  let collected = await new MatchCollector(reader, evaluator, pacer).collect(alternatives, {
    filter,
    visible,
    prefix,
  });
  if (collected.hits.size === 0 && !collected.partial && alternatives.some(({ terms }) => terms.length > 0)) {
    prefix = true;
    collected = await new MatchCollector(reader, evaluator, pacer).collect(alternatives, {
      filter,
      visible,
      prefix,
    });
    if (collected.hits.size > 0)
      notices.push('No note has exactly these words; words that begin with them were matched.');
  }
  if (collected.partial) notices.push(TIME_UP);
  const hits = [...collected.hits.values()];
  const signed = signedWords(search.normal);
  const unquoted = signed.filter(({ quoted }) => !quoted);
  const all = search.normal.kind !== 'or';
  const preferred = unquoted.length === 0 ? [] : await keepSigned(reader, hits, unquoted, all, pacer);
  const ranked = rank(hits, {
    words: typedWords(search.normal, new Map()),
    whole: new Set(),
    time: start.time,
    signed: signed.map(({ needle }) => needle),
    preferred: new Set(preferred.map(({ path }) => path)),
    copies: await copiesAmong(search, hits),
  });
  const end = start.offset + limit;
  return {
    page: ranked.slice(start.offset, end),
    total: ranked.length,
    next: end < ranked.length ? { ...start, offset: end } : null,
    matching: { prefix, corrections: new Map() },
    notices,
    isPartial: collected.partial,
  };
}
