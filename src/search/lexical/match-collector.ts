import {
  type LexicalHit,
  type LexicalTerm,
  type ListFilter,
  type NoteIndexReader,
  type NoteRecord,
  type PageRequest,
  type PathFilter,
  viewOf,
} from '../../index/note-index.ts';
import type { Pacer } from '../pacer.ts';
import { type Alternative, needs } from '../query/plan.ts';
import type { Evaluator } from './evaluate.ts';
import { beginning } from './query-relaxation.ts';

/** Candidates kept in memory for one query: far above what anyone pages through. */
const MAX_HITS = 20_000;
const PAGE = 1000;
/** Smaller than {@link PAGE}: records take longer to read than hits, and a page must not block other requests. */
const LIST_PAGE = 200;
/** Score of a hit that only operators found, before calibration: they match or they do not. */
const OPERATOR_SCORE = 1;

export interface CollectedMatches {
  readonly hits: ReadonlyMap<string, LexicalHit>;
  /** The time budget or {@link MAX_HITS} was reached: some notes were not evaluated. */
  readonly partial: boolean;
}

interface Ask {
  readonly filter: ListFilter;
  readonly visible: PathFilter | undefined;
  readonly prefix: boolean;
}

/**
 * Collects every note that satisfies one of the alternatives, with its best score. Words, tags and paths
 * narrow the candidates inside the index; what is left is evaluated on each candidate.
 */
export class MatchCollector {
  private readonly hits = new Map<string, LexicalHit>();
  private partial = false;

  constructor(
    private readonly reader: NoteIndexReader,
    private readonly evaluator: Evaluator,
    private readonly pacer: Pacer,
  ) {}

  async collect(alternatives: readonly Alternative[], ask: Ask): Promise<CollectedMatches> {
    for (const alternative of alternatives) {
      if (this.stopped()) break;
      const filter = { ...ask.filter, tags: [...(ask.filter.tags ?? []), ...alternative.tags] };
      const visible = narrowed(ask.visible, alternative, this.evaluator);
      const terms = ask.prefix ? alternative.terms.map(beginning) : alternative.terms;
      const needed = needs(alternative.rest);
      if (terms.length === 0 && needed.text) await this.scan(alternative, filter, visible, needed.record);
      else if (terms.length === 0 && needed.record) await this.list(alternative, filter, visible);
      else await this.ask(alternative, terms, filter, visible, needed);
    }
    return { hits: this.hits, partial: this.partial };
  }

  private async ask(
    alternative: Alternative,
    terms: readonly LexicalTerm[],
    filter: ListFilter,
    visible: PathFilter | undefined,
    needed: { text: boolean; record: boolean },
  ): Promise<void> {
    const query = { required: terms, optional: [], excluded: alternative.excluded, filter };
    let cursor: string | undefined;
    while (!this.stopped()) {
      const page = await this.reader.lexical(query, pageOf(visible, cursor));
      for (const hit of page.items) {
        if (this.stopped()) return;
        if (await this.accepts(alternative, hit.path, undefined, needed)) this.keep(hit);
      }
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  private async scan(
    alternative: Alternative,
    filter: ListFilter,
    visible: PathFilter | undefined,
    record: boolean,
  ): Promise<void> {
    const excluded = await this.excludedPaths(alternative, filter, visible);
    for await (const { path, text } of this.reader.scan(filter, visible)) {
      if (this.stopped()) return;
      if (excluded.has(path)) continue;
      if (await this.accepts(alternative, path, text, { text: true, record })) {
        this.keep({ path, title: '', aliases: [], score: OPERATOR_SCORE, mtimeMs: 0 });
      }
    }
  }

  /** Properties and tags are in the index's records: no text is read. */
  private async list(
    alternative: Alternative,
    filter: ListFilter,
    visible: PathFilter | undefined,
  ): Promise<void> {
    const excluded = await this.excludedPaths(alternative, filter, visible);
    let cursor: string | undefined;
    while (!this.stopped()) {
      const page = await this.reader.list(filter, 'path', { ...pageOf(visible, cursor), limit: LIST_PAGE });
      for (const record of page.items) {
        if (this.stopped()) return;
        if (this.pacer.due) await this.pacer.pause();
        if (excluded.has(record.path)) continue;
        const { path, title, aliases, mtimeMs } = record;
        const matches = await this.evaluator.matches(alternative.rest, { path, text: '', record });
        if (matches) this.keep({ path, title, aliases, score: OPERATOR_SCORE, mtimeMs });
      }
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  private async excludedPaths(
    { excluded }: Alternative,
    filter: ListFilter,
    visible: PathFilter | undefined,
  ): Promise<ReadonlySet<string>> {
    const paths = new Set<string>();
    if (excluded.length === 0) return paths;
    const query = { required: [], optional: excluded, excluded: [], filter };
    let cursor: string | undefined;
    do {
      const page = await this.reader.lexical(query, pageOf(visible, cursor));
      for (const hit of page.items) paths.add(hit.path);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && !this.stopped());
    return paths;
  }

  private async accepts(
    { rest }: Alternative,
    path: string,
    known: string | undefined,
    needed: { text: boolean; record: boolean },
  ): Promise<boolean> {
    if (this.pacer.due) await this.pacer.pause();
    if (rest.length === 0) return true;
    const text = known ?? (needed.text ? (await this.reader.text(path))?.text : undefined);
    const record: NoteRecord | undefined = needed.record ? await this.reader.note(path) : undefined;
    const matches = await this.evaluator.matches(rest, { path, text: text ?? '', record });
    if (matches === undefined) this.partial = true;
    return matches === true;
  }

  private keep(hit: LexicalHit): void {
    const known = this.hits.get(hit.path);
    if (!known || known.score < hit.score) this.hits.set(hit.path, hit);
  }

  private stopped(): boolean {
    if (this.pacer.expired || this.hits.size >= MAX_HITS) this.partial = true;
    return this.partial;
  }
}

/** The caller's filter, restricted by the alternative's `file:` and `path:` literals. */
export function narrowed(
  visible: PathFilter | undefined,
  { paths }: Alternative,
  evaluator: Evaluator,
): PathFilter | undefined {
  if (paths.length === 0) return visible;
  return {
    key: `${visible?.key ?? ''}\n${JSON.stringify(paths)}`,
    test: (path) => (visible?.test(path) ?? true) && evaluator.matchesPath(paths, path),
    view: viewOf(visible) ?? null,
    common: visible?.common ?? true,
  };
}

function pageOf(visible: PathFilter | undefined, cursor: string | undefined): PageRequest {
  return { limit: PAGE, ...(visible && { visible }), ...(cursor !== undefined && { cursor }) };
}
