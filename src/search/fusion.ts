import { cosine, SAME_PASSAGE } from './feedback.ts';

/** A note that one of the searches proposed, with all that is known about it. */
export interface Candidate {
  readonly note: number;
  readonly path: string;
  readonly title: string;
  /** The lexical index's score of the whole note; 0 when it was not among its best. */
  readonly lexical: number;
  readonly passages: readonly CandidatePassage[];
}

export interface CandidatePassage {
  readonly seq: number;
  /** BM25 of the passage's own terms. */
  readonly terms: number;
  /** Cosine of its vector with the query. */
  readonly meaning: number;
}

export interface FusedNote {
  readonly candidate: Candidate;
  /** 0..1, comparable between the hits of one query and, roughly, between queries. */
  readonly score: number;
  /** The passage that speaks most for the note; undefined when it has none. */
  readonly best: CandidatePassage | undefined;
}

/**
 * One set of weights for every collection, measured in bench/retrieval. Each part is divided by its
 * own maximum for the query before it is weighed: BM25 has no scale of its own, and ranks alone (reciprocal
 * rank fusion) throw away how far apart the scores are, which measured worse than its parts.
 */
export interface FusionWeights {
  readonly lexical: number;
  readonly terms: number;
  readonly meaning: number;
}

export const HYBRID_WEIGHTS: FusionWeights = { lexical: 0.4, terms: 0.1, meaning: 0.5 };
export const SEMANTIC_WEIGHTS: FusionWeights = { lexical: 0, terms: 0, meaning: 1 };

/** BM25 that counts as half certain, when scores are made comparable between queries. */
const LEXICAL_HALF = 12;
const TERMS_HALF = 6;
/** Notes below this share of the best score are not hits: they share a common word with the query. */
const TAIL = 0.3;
/** A further copy of a note above it is worth this much of its score. */
const COPY = 0.5;

/** Ranks candidates; equal scores by path. */
export function fuse(candidates: readonly Candidate[], weights: FusionWeights): FusedNote[] {
  const most = { lexical: 0, terms: 0, meaning: 0 };
  for (const { lexical, passages } of candidates) {
    most.lexical = Math.max(most.lexical, lexical);
    for (const { terms, meaning } of passages) {
      most.terms = Math.max(most.terms, terms);
      most.meaning = Math.max(most.meaning, meaning);
    }
  }
  const share = (value: number, of: number): number => (of > 0 ? Math.max(0, value) / of : 0);
  const certainty =
    weights.lexical * (most.lexical / (most.lexical + LEXICAL_HALF)) +
    weights.terms * (most.terms / (most.terms + TERMS_HALF)) +
    weights.meaning * Math.min(1, most.meaning);
  const fused = candidates.map((candidate) => {
    let terms = 0;
    let meaning = 0;
    let best: { passage: CandidatePassage; score: number } | undefined;
    for (const passage of candidate.passages) {
      const passageTerms = share(passage.terms, most.terms);
      const passageMeaning = share(passage.meaning, most.meaning);
      terms = Math.max(terms, passageTerms);
      meaning = Math.max(meaning, passageMeaning);
      // Within a note the lexical score says nothing, so the passage's own terms stand in for it.
      const score = (weights.lexical + weights.terms) * passageTerms + weights.meaning * passageMeaning;
      if (!best || score > best.score) best = { passage, score };
    }
    const score =
      weights.lexical * share(candidate.lexical, most.lexical) +
      weights.terms * terms +
      weights.meaning * meaning;
    return { candidate, score: score * certainty, best: best?.passage };
  });
  return fused.sort(byScore);
}

/**
 * Puts copies behind: of notes with the same title and the same best passage (versions of a document,
 * templates filled in alike) the first keeps its place, so that one text cannot fill the answer.
 * Then cuts the tail.
 * @param vectorOf a unit vector of a note's passage
 */
export function withoutCrowding(
  ranked: readonly FusedNote[],
  vectorOf: (note: number, seq: number) => Float32Array | undefined,
): FusedNote[] {
  const first = ranked[0];
  if (!first) return [];
  const floor = first.score * TAIL;
  const kept: FusedNote[] = [];
  const seen = new Map<string, { vector: Float32Array; copies: number }[]>();
  for (const each of ranked) {
    if (each.score < floor) break;
    const vector = each.best && vectorOf(each.candidate.note, each.best.seq);
    const same = seen.get(each.candidate.title) ?? [];
    const original = vector && same.find((other) => cosine(other.vector, vector) >= SAME_PASSAGE);
    if (original) original.copies += 1;
    else if (vector) seen.set(each.candidate.title, [...same, { vector, copies: 0 }]);
    kept.push(original ? { ...each, score: each.score * COPY ** original.copies } : each);
  }
  return kept.sort(byScore);
}

function byScore(a: FusedNote, b: FusedNote): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.path < b.candidate.path ? -1 : 1;
}
