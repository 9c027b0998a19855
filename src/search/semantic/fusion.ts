import { type Copies, scoresBelowOriginals } from '../conflict-copies.ts';
import { cosine, SAME_PASSAGE } from './feedback.ts';

/** A note that one of the searches proposed, with its scores from both. */
export interface Candidate {
  readonly note: number;
  readonly path: string;
  readonly title: string;
  /** The lexical index's score of the whole note; 0 when it was not among its best. */
  readonly lexical: number;
  /** Its passage nearest to the query; undefined when it has none. */
  readonly best: CandidatePassage | undefined;
}

export interface CandidatePassage {
  readonly seq: number;
  /** Cosine of its vector with the query. */
  readonly score: number;
}

export interface FusedNote {
  readonly candidate: Candidate;
  /** 0..1, comparable between the hits of one query and, roughly, between queries. */
  readonly score: number;
}

/**
 * The same weights for every collection, measured in bench/retrieval. Each part is divided by its
 * own maximum for the query before it is weighed: BM25 has no scale of its own, and ranks alone (reciprocal
 * rank fusion) throw away how far apart the scores are, which measured worse than its parts.
 */
export interface FusionWeights {
  readonly lexical: number;
  readonly meaning: number;
}

export const HYBRID_WEIGHTS: FusionWeights = { lexical: 0.5, meaning: 0.5 };
/**
 * For questions in scripts written without spaces, where vectors are learned from pairs of characters: many of them
 * cross a word boundary, so their vectors carry less information than their occurrence.
 */
export const PAIR_WEIGHTS: FusionWeights = { lexical: 0.6, meaning: 0.4 };
export const SEMANTIC_WEIGHTS: FusionWeights = { lexical: 0, meaning: 1 };

/** BM25 that counts as half certain, when scores are made comparable between queries. */
const LEXICAL_HALF = 12;
/** Notes below this share of the best score are not hits: they share a common word with the query. */
const TAIL = 0.3;
/** A further copy of a note above it is worth this much of its score. */
const COPY = 0.5;
/** Where notes have a word of the query with its signs (`C#`), the score of one that has not is worth this much. */
const WITHOUT_SIGNS = 0.5;

/**
 * Ranks candidates; equal scores by path. Notes below {@link TAIL} of the best score are dropped.
 * @param withSigns notes that have words of the query with their signs
 */
export function fuse(
  candidates: readonly Candidate[],
  weights: FusionWeights,
  withSigns: ReadonlySet<number> = new Set(),
): FusedNote[] {
  const most = { lexical: 0, meaning: 0 };
  for (const { lexical, best } of candidates) {
    most.lexical = Math.max(most.lexical, lexical);
    most.meaning = Math.max(most.meaning, best?.score ?? 0);
  }
  const share = (value: number, of: number): number => (of > 0 ? Math.max(0, value) / of : 0);
  const certainty =
    weights.lexical * (most.lexical / (most.lexical + LEXICAL_HALF)) +
    weights.meaning * Math.min(1, most.meaning);
  let highest = 0;
  const fused = candidates.map((candidate) => {
    const plain =
      weights.lexical * share(candidate.lexical, most.lexical) +
      weights.meaning * share(candidate.best?.score ?? 0, most.meaning);
    const score = withSigns.size === 0 || withSigns.has(candidate.note) ? plain : plain * WITHOUT_SIGNS;
    highest = Math.max(highest, score);
    return { candidate, score: score * certainty };
  });
  const floor = highest * certainty * TAIL;
  return fused.filter(({ score }) => score > 0 && score >= floor).sort(byScore);
}

/** Copies that sync programs made come below their originals. */
export function copiesBelow(ranked: readonly FusedNote[], copies: Copies): readonly FusedNote[] {
  if (copies.size === 0) return ranked;
  const scores = new Map(ranked.map(({ candidate, score }) => [candidate.path, score]));
  const below = scoresBelowOriginals(scores, copies);
  return ranked.map((each) => ({ ...each, score: below.get(each.candidate.path) ?? 0 })).sort(byScore);
}

/**
 * Demotes copies: of notes with the same title and the same best passage (versions of a document,
 * templates filled in alike) the first keeps its place, so that one text cannot fill the answer.
 * @param vectorOf a unit vector of a note's passage
 */
export function withoutCrowding(
  ranked: readonly FusedNote[],
  vectorOf: (note: number, seq: number) => Float32Array | undefined,
): FusedNote[] {
  const kept: FusedNote[] = [];
  const originals = new Map<string, { readonly fused: FusedNote; copies: number }[]>();
  const vector = ({ candidate: { note, best } }: FusedNote) => best && vectorOf(note, best.seq);
  let copied = false;
  for (const each of ranked) {
    const same = originals.get(each.candidate.title);
    const here = same && vector(each);
    const original = same?.find(({ fused }) => {
      const other = here && vector(fused);
      return other !== undefined && cosine(other, here as Float32Array) >= SAME_PASSAGE;
    });
    if (original) {
      copied = true;
      original.copies += 1;
      kept.push({ ...each, score: each.score * COPY ** original.copies });
      continue;
    }
    if (same) same.push({ fused: each, copies: 0 });
    else originals.set(each.candidate.title, [{ fused: each, copies: 0 }]);
    kept.push(each);
  }
  return copied ? kept.sort(byScore) : kept;
}

function byScore(a: FusedNote, b: FusedNote): number {
  if (a.score !== b.score) return b.score - a.score;
  return a.candidate.path < b.candidate.path ? -1 : 1;
}
