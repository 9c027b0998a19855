import type { PassageRecord, VectorIndexReader } from '../../index/vector-index.ts';
import type { Copies } from '../conflict-copies.ts';
import type { Pacer } from '../pacer.ts';
import type { Normal } from '../query/normal.ts';
import type { Highlights } from '../snippet/densest-passage.ts';
import { fieldOperators, namesMatched } from '../snippet/describe-hits.ts';
import { makeSnippet, type Snippet } from '../snippet/snippet.ts';
import { fold } from '../text/fold.ts';
import { contains, type Needle } from '../text/words.ts';
import type { SearchHit } from '../types.ts';
import type { Scan } from '../vector/passage-matrix.ts';
import type { FusedNote } from './fusion.ts';
import type { ShowPassage } from './shown-passage.ts';

/** A passage this near to the query counts as found by its meaning. */
const MEANT = 0.2;

/** What a page of fused notes is described by. */
export interface PageContext {
  readonly vectors: VectorIndexReader;
  /** The statistical model that `show` weighs words by. */
  readonly model: string | undefined;
  readonly scan: Scan;
  readonly show: ShowPassage;
  readonly highlights: Highlights;
  /** Words with their signs: where the passage has none of them, the note's densest place that has one is shown. */
  readonly preferred: readonly Needle[];
  /** Copies that sync programs made. */
  readonly copies: Copies;
  readonly root: Normal;
  readonly pacer: Pacer;
}

/** Of a note that went meanwhile. */
const NOTHING = { text: '', etag: undefined, tags: [], aliases: [], passages: [], lengths: [] };

/**
 * Fused notes as hits. The snippet is taken from the passage that supports the note most, where the query's words are
 * densest; `matchedIn` has `meaning` when its vector is near the query's. One index read, independent of the
 * number of hits.
 */
export async function describePassages(fused: readonly FusedNote[], page: PageContext): Promise<SearchHit[]> {
  const { vectors, highlights, pacer } = page;
  const fields = fieldOperators(page.root);
  const sources = await vectors.sources(
    fused.map(({ candidate }) => candidate.note),
    page.model,
  );
  const hits: SearchHit[] = [];
  for (const { candidate, score } of fused) {
    if (pacer.due) await pacer.pause();
    const { note, path, title } = candidate;
    const source = sources.get(note) ?? { ...NOTHING, path, title };
    const best = page.show(page.scan.passages(note), source);
    // When the text is newer than its passages, the note's best place by words is shown.
    const passage = best && source.passages[best.seq];
    const found = snippetOf(source.text, passage, highlights, page.preferred);
    const matchedIn = namesMatched(source, highlights, fields);
    if (found.inHeading) matchedIn.push('heading');
    if (found.inBody) matchedIn.push('body');
    if ((best?.meaning ?? 0) >= MEANT) matchedIn.push('meaning');
    const copyOf = page.copies.get(source.path);
    hits.push({
      path: source.path,
      title: source.title,
      score: Math.round(score * 1e6) / 1e6,
      snippet: found.snippet,
      line: found.line,
      headings: found.headings,
      tags: source.tags,
      matchedIn,
      ...(copyOf !== undefined && { copyOf }),
    });
  }
  return hits;
}

function snippetOf(
  text: string,
  passage: PassageRecord | undefined,
  highlights: Highlights,
  preferred: readonly Needle[],
): Snippet {
  if (!passage) return makeSnippet(text, highlights);
  const has = (part: string) => {
    const folded = fold(part);
    return preferred.some((needle) => contains(folded, needle));
  };
  if (preferred.length > 0 && !has(text.slice(passage.start, passage.end)) && has(text)) {
    const other = makeSnippet(text, highlights);
    if (has(other.snippet.replaceAll('**', ''))) return other;
  }
  const shown = makeSnippet(text.slice(passage.start, passage.end), highlights);
  return {
    ...shown,
    line: passage.line + shown.line - 1,
    headings: chain(passage, shown.headings),
  };
}

/** Headings above the passage, then those inside it; a passage that begins with its own heading has it in both. */
function chain({ headings }: PassageRecord, inside: readonly string[]): string[] {
  for (let shared = Math.min(headings.length, inside.length); shared > 0; shared -= 1) {
    const end = headings.slice(headings.length - shared);
    if (end.every((heading, at) => heading === inside[at])) return [...headings, ...inside.slice(shared)];
  }
  return [...headings, ...inside];
}
