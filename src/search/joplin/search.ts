import type { LexicalTerm, NoteIndexReader, NoteRecord } from '../../index/note-index.ts';
import { type JoplinFacts, joplinFacts } from '../../notes/dialects/joplin.ts';
import { decodeCursor, encodeCursor, pageSize } from '../cursor.ts';
import { type LexicalSearchOptions, TIME_UP } from '../lexical/lexical-search.ts';
import { Pacer } from '../pacer.ts';
import { frontMatterEnd } from '../snippet/heading-lines.ts';
import { makeSnippet } from '../snippet/snippet.ts';
import { needle } from '../text/words.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../types.ts';
import { Conditions, type Weighed } from './conditions.ts';
import { ENTITY_NAMES, ENTITY_NUMBERS } from './normal-text.ts';
import { type JoplinQuery, parseJoplinQuery } from './parse.ts';

const DEFAULT_BUDGET_MS = 20_000;
/** Hits of the index that are looked up one by one; of more, every note is looked at. */
const WINDOW = 500;
/** Notes whose text is looked at in one go. */
const BATCH = 50;

interface Found {
  readonly record: NoteRecord;
  readonly facts: JoplinFacts;
  readonly weighed: Weighed;
}

/**
 * Search in Joplin's language: what a query means there, it means here, and in that order. The index of words says which
 * notes are worth a look; each of them is then compared word by word, as Joplin has no stems.
 * @param request its limit is held to 1..50, `mode` and `filter` are ignored
 * @throws LecternError `invalid_input` for a filter that cannot be, or a cursor that is not of this search
 */
export async function joplinSearch(
  reader: NoteIndexReader,
  request: SearchRequest,
  options: LexicalSearchOptions = {},
): Promise<SearchAnswer> {
  const { visible, signal } = options;
  const key = ['joplin', request.query, visible?.key];
  const cursor = request.cursor === undefined ? undefined : decodeCursor(request.cursor, key);
  const now = cursor?.time ?? Math.floor(options.now?.() ?? Date.now());
  const query = parseJoplinQuery(request.query, now);
  const pacer = new Pacer(options.budgetMs ?? DEFAULT_BUDGET_MS, signal);
  const conditions = new Conditions(query, { reader, visible, pathsOfId: request.pathsOfId });
  const found: Found[] = [];
  let isCut = false;
  if (!conditions.isEmpty) {
    for await (const records of candidates(reader, query, conditions, options)) {
      if (pacer.due) await pacer.pause();
      if (pacer.expired) {
        isCut = true;
        break;
      }
      found.push(...(await matching(records, reader, conditions, pacer)));
    }
  }
  const { notes } = found.length > 1 ? await reader.counts(visible) : { notes: found.length };
  const ranked = inOrder(found, conditions, notes, now);
  const start = cursor?.offset ?? 0;
  const end = start + pageSize(request.limit);
  return {
    items: await described(ranked.slice(start, end), reader, conditions),
    total: ranked.length,
    nextCursor: end < ranked.length ? encodeCursor({ window: '', offset: end, time: now }, key) : null,
    modeUsed: 'lexical',
    notice: isCut ? TIME_UP : undefined,
    isPartial: isCut,
  };
}

/** The notes that may match, in batches. */
async function* candidates(
  reader: NoteIndexReader,
  query: JoplinQuery,
  { requiredWords }: Conditions,
  { visible }: LexicalSearchOptions,
): AsyncGenerator<readonly NoteRecord[]> {
  if (query.any || query.substring || requiredWords.length === 0) {
    yield* reader.matching({}, 'path', visible);
    return;
  }
  const term = (text: string): LexicalTerm => ({ text, phrase: false, prefix: false });
  const required = requiredWords.map(term);
  const asked = [
    { required, optional: [], excluded: [] },
    // A letter written as an entity keeps its word from the index.
    { required: [], optional: ENTITY_NAMES.map(term), excluded: [] },
    { required: [], optional: ENTITY_NUMBERS.map(term), excluded: [] },
  ];
  const paths = new Set<string>();
  for (const words of asked) {
    const page = await reader.lexical(
      { ...words, filter: { kinds: ['note'] } },
      { limit: WINDOW, ...(visible && { visible }) },
    );
    // To rank them again and again, page by page, takes longer than to look at every note.
    // Numbers stand in many notes for nothing but themselves: of those, the first are looked at.
    if (page.nextCursor !== null && words !== asked.at(-1)) {
      yield* reader.matching({}, 'path', visible);
      return;
    }
    for (const { path } of page.items) paths.add(path);
  }
  let records: NoteRecord[] = [];
  for (const path of paths) {
    const record = await reader.note(path);
    if (record !== undefined) records.push(record);
    if (records.length < BATCH) continue;
    yield records;
    records = [];
  }
  yield records;
}

async function matching(
  records: readonly NoteRecord[],
  reader: NoteIndexReader,
  conditions: Conditions,
  pacer: Pacer,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < records.length; from += BATCH) {
    const batch = records.slice(from, from + BATCH).map((record) => ({ record, facts: joplinFacts(record) }));
    const promising: typeof batch = [];
    for (const one of batch) if (await conditions.mayMatch(one.record, one.facts)) promising.push(one);
    const texts = conditions.readsText
      ? await reader.hitSources(promising.map(({ record }) => record.path))
      : new Map<string, { readonly text: string }>();
    for (const { record, facts } of promising) {
      if (pacer.due) await pacer.pause();
      const text = texts.get(record.path)?.text ?? '';
      const weighed = await conditions.match(record, facts, text.slice(frontMatterEnd(text)));
      if (weighed !== undefined) found.push({ record, facts, weighed });
    }
  }
  return found;
}

/**
 * As Joplin orders: notes with a word in their title first, then by the weight of the words (BM25 over title and body) and how
 * lately the note was changed, then to-dos that are done last, then the newest.
 */
function inOrder(
  found: readonly Found[],
  conditions: Conditions,
  notes: number,
  now: number,
): (Found & { weight: number })[] {
  const weights = conditions.weights(
    found.map(({ weighed }) => weighed),
    notes,
  );
  return found
    .map((one, at) => ({ ...one, weight: (weights[at] ?? 0) + recency(one.facts.updatedMs, now) }))
    .sort(
      (a, b) =>
        Number(b.weighed.inTitle) - Number(a.weighed.inTitle) ||
        b.weight - a.weight ||
        Number(a.facts.isCompleted) - Number(b.facts.isCompleted) ||
        b.facts.updatedMs - a.facts.updatedMs ||
        (a.record.path < b.record.path ? -1 : 1),
    );
}

const DAY_MS = 86_400_000;

function recency(updatedMs: number, now: number): number {
  return 200 * Math.log(1 + 1 / Math.max((now - updatedMs) / DAY_MS, 0.5));
}

async function described(
  page: readonly (Found & { weight: number })[],
  reader: NoteIndexReader,
  conditions: Conditions,
): Promise<SearchHit[]> {
  const sources = await reader.hitSources(page.map(({ record }) => record.path));
  const needles = conditions.words
    .map(({ text, isPrefix }) => needle(text, { prefix: isPrefix }))
    .filter((one) => one !== undefined);
  return page.map(({ record, facts, weighed, weight }) => {
    const { snippet, line, headings } = makeSnippet(sources.get(record.path)?.text ?? '', {
      needles,
      patterns: [],
    });
    return {
      path: record.path,
      title: facts.title,
      score: Math.round((weight / (weight + 50)) * 1e6) / 1e6,
      snippet,
      line,
      headings,
      tags: record.tags,
      matchedIn: [...(weighed.inTitle ? ['title'] : []), ...(weighed.inBody ? ['body'] : [])],
    };
  });
}
