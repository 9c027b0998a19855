import type { VectorIndexReader } from '../index/vector-index.ts';
import { queryTerms, scoreTerms } from './embed/local-lsa/score-terms.ts';
import type { CandidatePassage, FusedNote } from './fusion.ts';
import type { PassageSpaces } from './passage-index.ts';

/**
 * Which passage of each hit is shown. The vector alone names a passage about the subject; the words of the
 * query, counted per passage when it was embedded, tell the one that answers. Done for the hits of a
 * page only: for the ranking it measured no gain over the note's own lexical score.
 */
export async function withShownPassage(
  page: readonly FusedNote[],
  query: string,
  { local, vectors }: PassageSpaces,
  reader: VectorIndexReader,
): Promise<FusedNote[]> {
  const terms = queryTerms(local.model, query);
  const stored = await reader.terms(
    local.id,
    page.map(({ candidate }) => candidate.note),
  );
  return page.map((fused) => {
    const counted = stored.get(fused.candidate.note) ?? [];
    const { passages } = fused.candidate;
    // With a neural model the two may be of different ages; then positions do not agree.
    if (counted.length !== vectors.matrix.passagesOf(fused.candidate.note)) return fused;
    const scores = passages.map(({ seq }) =>
      scoreTerms(local.model, terms, counted[seq] ?? new Uint8Array(0)),
    );
    return { ...fused, best: bestOf(passages, scores) ?? fused.best };
  });
}

/** Both parts weigh the same, each against its own best in the note. */
function bestOf(
  passages: readonly CandidatePassage[],
  terms: readonly number[],
): CandidatePassage | undefined {
  const mostTerms = Math.max(0, ...terms) || 1;
  const mostMeaning = Math.max(0, ...passages.map(({ meaning }) => meaning)) || 1;
  let best: CandidatePassage | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  passages.forEach((passage, at) => {
    const score = (terms[at] ?? 0) / mostTerms + passage.meaning / mostMeaning;
    if (score <= highest) return;
    highest = score;
    best = passage;
  });
  return best;
}
