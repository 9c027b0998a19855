import { isLecternError, LecternError } from '../../errors.ts';
import type { LexicalTerm, ListFilter, NoteIndexReader, PathFilter } from '../../index/note-index.ts';
import { type Copies, conflictCopiesOf } from '../conflict-copies.ts';
import { decodeCursor, encodeCursor, pageSize } from '../cursor.ts';
import type { Embedder } from '../embed/embedder.ts';
import { joplinSearch } from '../joplin/search.ts';
import { Evaluator } from '../lexical/evaluate.ts';
import { type LexicalSearchOptions, lexicalSearch } from '../lexical/lexical-search.ts';
import { narrowed } from '../lexical/match-collector.ts';
import { hitsWithSigns, keepSigned } from '../lexical/with-signs.ts';
import { Pacer } from '../pacer.ts';
import { optionalTerms } from '../query/optional-terms.ts';
import { type PlainQuery, route } from '../query/route.ts';
import { type SignedWord, signedWords } from '../snippet/highlight.ts';
import { needle } from '../text/words.ts';
import type { SearchAnswer, SearchRequest } from '../types.ts';
import type { Scan } from '../vector/passage-matrix.ts';
import { CandidateSet } from './candidates.ts';
import { withFeedback } from './feedback.ts';
import {
  type Candidate,
  copiesBelow,
  type FusedNote,
  type FusionWeights,
  fuse,
  HYBRID_WEIGHTS,
  PAIR_WEIGHTS,
  SEMANTIC_WEIGHTS,
  withoutCrowding,
} from './fusion.ts';
import { describePassages } from './passage-hits.ts';
import type { PassageIndex, PassageSpaces } from './passage-index.ts';
import { shownPassage } from './shown-passage.ts';

/** Notes taken from the lexical index, and passages from each vector scan, to be ranked together. */
const LEXICAL_CANDIDATES = 100;
const SEMANTIC_CANDIDATES = 200;
/** A backend that has not answered after this time, ms, is treated as failing. */
const EMBED_TIMEOUT_MS = 5_000;
const DEFAULT_BUDGET_MS = 2_000;
const UNKNOWN = 'No word of the query is known to the semantic vectors, so the search was lexical.';
const NEAREST = 'No note matches the query as written; these are nearest to its words and their meaning.';

/**
 * Answers a search in the mode it asks for. `semantic`: notes by the meaning of their passages alone.
 * `hybrid`: the lexical index and the vectors propose notes, both judge all of them, the query moves towards
 * the best passages and looks once more; exact requests (identifiers, quotes, dates,
 * operators) are answered lexically. What cannot be answered in its mode is answered lexically too, and
 * `notice` says why.
 * @throws LecternError `invalid_input` for a cursor that is not of this search
 */
export function search(
  reader: NoteIndexReader,
  passages: PassageIndex,
  request: SearchRequest,
  options: LexicalSearchOptions = {},
): Promise<SearchAnswer> {
  if (request.syntax === 'joplin') return joplinSearch(reader, request, options);
  if (request.mode === 'lexical') return lexicalSearch(reader, request, options);
  return new PassageSearch(reader, passages, request, options).answer();
}

/** The caller's filter and the query's narrowing, as the two indexes take them. */
interface Restriction {
  readonly filter: ListFilter;
  readonly visible: PathFilter | undefined;
}

class PassageSearch {
  readonly #pacer: Pacer;
  readonly #hybrid: boolean;

  constructor(
    private readonly reader: NoteIndexReader,
    private readonly passages: PassageIndex,
    private readonly request: SearchRequest,
    private readonly options: LexicalSearchOptions,
  ) {
    this.#pacer = new Pacer(options.budgetMs ?? DEFAULT_BUDGET_MS, options.signal);
    this.#hybrid = request.mode === 'hybrid';
  }

  async answer(): Promise<SearchAnswer> {
    const routed = route(this.request.query);
    if (routed.kind === 'plain') return this.#byPassages(routed);
    const exact = await this.#lexically(routed.reason);
    if (exact.total > 0 || !routed.plain || this.request.cursor !== undefined) return exact;
    const near = await this.#byPassages(routed.plain);
    return near.total === 0 || near.modeUsed === 'lexical'
      ? exact
      : { ...near, notice: joined([NEAREST, near.notice]) };
  }

  async #byPassages(query: PlainQuery): Promise<SearchAnswer> {
    const spaces = await this.passages.spaces(this.options.visible);
    if (typeof spaces === 'string') return this.#lexically(spaces);
    const vector = await this.#embed(spaces, query.text);
    if (typeof vector === 'string') return { ...(await this.#lexically(vector)), isPartial: true };
    const known = vector.some((value) => value !== 0);
    if (!known && !this.#hybrid) return this.#lexically(UNKNOWN);
    const { request, options } = this;
    const key = [request.mode, request.query, request.filter, options.visible?.key];
    const offset = request.cursor === undefined ? 0 : decodeCursor(request.cursor, key).offset;
    const { ranked, scan, copies } = await this.#rank(spaces, query, vector);
    // Perhaps a mistyped word: the lexical search looks for what is near.
    if (ranked.length === 0) return this.#lexically(undefined);
    const end = offset + pageSize(request.limit);
    const { local } = spaces;
    const needles = optionalTerms(query.text, local?.model)
      .map(({ text }) => needle(text))
      .filter((each) => each !== undefined);
    const signed = this.#hybrid ? signedWords(query.root).map(({ needle }) => needle) : [];
    const items = await describePassages(ranked.slice(offset, end), {
      vectors: this.passages.reader,
      model: local?.id,
      scan,
      show: shownPassage(local?.model, query.text),
      highlights: { needles: [...signed, ...needles], patterns: [] },
      preferred: signed,
      copies,
      root: query.root,
      pacer: this.#pacer,
    });
    return {
      items,
      total: ranked.length,
      nextCursor: end < ranked.length ? encodeCursor({ window: '', offset: end, time: 0 }, key) : null,
      modeUsed: known ? request.mode : 'lexical',
      notice: joined([...query.notices, spaces.notice, known ? undefined : UNKNOWN]),
      isPartial: this.#pacer.expired,
    };
  }

  async #lexically(reason: string | undefined): Promise<SearchAnswer> {
    const answer = await lexicalSearch(this.reader, this.request, this.options);
    return { ...answer, notice: joined([reason, answer.notice]) };
  }

  /** @returns the query's vector (zeros when none of its words is known), or why there is none */
  async #embed({ vectors }: PassageSpaces, text: string): Promise<Float32Array | string> {
    const { signal } = this.options;
    try {
      const [vector] = await vectors.embedder.embed([text], 'query', waitFor(vectors.embedder, signal));
      return vector ?? new Float32Array(vectors.embedder.dimensions);
    } catch (error) {
      if (signal?.aborted) throw new LecternError('timeout', 'The search was cancelled.', { cause: error });
      const why = isLecternError(error) ? error.message : `${vectors.embedder.id} did not answer.`;
      return `${why} The search was lexical.`;
    }
  }

  /** @returns the hits, and the scan that judged them */
  async #rank(
    spaces: PassageSpaces,
    routed: PlainQuery,
    query: Float32Array,
  ): Promise<{ ranked: FusedNote[]; scan: Scan; copies: Copies }> {
    const { matrix } = spaces.vectors;
    const { reader } = this.passages;
    const { filter, visible } = this.#restriction(routed);
    const visibleNotes = await reader.allowed(filter, visible);
    const allowed = visibleNotes && ((note: number) => visibleNotes.has(note));
    const candidates = new CandidateSet(reader);
    let weights = SEMANTIC_WEIGHTS;
    if (this.#hybrid) {
      const optional = optionalTerms(routed.text, spaces.local?.model);
      weights = hybridWeights(optional, spaces);
      const words = { required: [], optional, excluded: [], filter };
      candidates.addByWords(await reader.lexical(words, LEXICAL_CANDIDATES, visible));
    }
    const signed = this.#hybrid ? signedWords(routed.root) : [];
    candidates.addByMeaning(await this.#notesWithSigns(signed, routed));
    const first = await matrix.scan(query, this.#pacer);
    candidates.addByMeaning(first.nearest(SEMANTIC_CANDIDATES, allowed));
    const moved = withFeedback(query, bestVectors(fuse(await candidates.judged(first), weights), spaces));
    const scan = await matrix.scan(moved, this.#pacer);
    candidates.addByMeaning(scan.nearest(SEMANTIC_CANDIDATES, allowed));
    const judged = await candidates.judged(scan);
    const fused = fuse(judged, weights, await this.#withSigns(judged, signed));
    const paths = fused.map(({ candidate }) => candidate.path);
    const copies = await conflictCopiesOf(this.reader).among(paths, this.options.visible);
    const ordered = copiesBelow(fused, copies);
    return { ranked: withoutCrowding(ordered, (note, seq) => matrix.vector(note, seq)), scan, copies };
  }

  /** Notes that have a word of the query with its signs (`C++`), which neither index knows. */
  async #notesWithSigns(signed: readonly SignedWord[], routed: PlainQuery): Promise<Iterable<number>> {
    if (signed.length === 0) return [];
    const { filter, visible } = this.#restriction(routed);
    const optional = signed.map(({ text }) => ({ text, phrase: true, prefix: false }));
    const asked = { required: [], optional, excluded: [], filter };
    const hits = await hitsWithSigns(this.reader, asked, signed, visible, this.#pacer);
    const best = hits.slice(0, LEXICAL_CANDIDATES).map(({ path }) => path);
    return (await this.passages.reader.notesAt(best)).values();
  }

  /** The candidates of either search that have such a word. */
  async #withSigns(
    candidates: readonly Candidate[],
    signed: readonly SignedWord[],
  ): Promise<ReadonlySet<number>> {
    if (signed.length === 0) return new Set();
    const kept = await keepSigned(this.reader, candidates, signed, false, this.#pacer);
    return new Set(kept.map(({ note }) => note));
  }

  #restriction({ narrowing }: PlainQuery): Restriction {
    const evaluator = new Evaluator(this.#pacer);
    evaluator.prepare([...narrowing.paths]);
    const tags = [...(this.request.filter.tags ?? []), ...narrowing.tags];
    return {
      filter: tags.length > 0 ? { ...this.request.filter, tags } : this.request.filter,
      visible: narrowed(this.options.visible, narrowing, evaluator),
    };
  }
}

function hybridWeights(terms: readonly LexicalTerm[], { vectors }: PassageSpaces): FusionWeights {
  const pairs = terms.filter(({ phrase }) => phrase).length;
  return vectors.embedder.kind === 'statistical' && pairs * 2 > terms.length ? PAIR_WEIGHTS : HYBRID_WEIGHTS;
}

/** A statistical model computes at once; any other backend may not answer and gets a time limit. */
function waitFor({ kind }: Embedder, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (kind === 'statistical') return signal;
  const limit = AbortSignal.timeout(EMBED_TIMEOUT_MS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/** Of the first ranking's best passages, for feedback; more than are used, since copies are left out. */
function* bestVectors(ranked: readonly FusedNote[], { vectors }: PassageSpaces): Generator<Float32Array> {
  for (const { candidate } of ranked.slice(0, 20)) {
    const { note, best } = candidate;
    const vector = best && vectors.matrix.vector(note, best.seq);
    if (vector) yield vector;
  }
}

function joined(notices: readonly (string | undefined)[]): string | undefined {
  const said = notices.filter((notice) => notice !== undefined && notice !== '');
  return said.length > 0 ? said.join(' ') : undefined;
}
