import { Turn } from '../../turn.ts';
import type { Sentence } from './sentences.ts';
import { nearness, Rarity, type Vector, vectorOf } from './terms.ts';

export interface Ranked {
  readonly sentence: Sentence;
  readonly vector: Vector;
  /** Centrality among the sentences, with a bonus for early ones, 0..1. */
  readonly score: number;
}

/** Limit of sentences that are compared pairwise; of more, those nearest to the centroid are used. */
const COMPARED = 400;
/** Least cosine of two sentences that are linked in the graph. */
const LINKED = 0.08;
const ROUNDS = 30;
const DAMPING = 0.85;
/** Weight of the position: a note's first sentences often say what it is about. */
const FIRST_WEIGHT = 0.35;

/**
 * Ranks sentences by their centrality among all (LexRank, Erkan and Radev 2004), with a bonus for the first
 * ones of a note. Deterministic.
 */
export async function rankCentral(
  sentences: readonly Sentence[],
  turn: Turn = new Turn(),
): Promise<readonly Ranked[]> {
  const rarity = new Rarity();
  for (const [at, { terms }] of sentences.entries()) {
    if (at % 200 === 0) await turn.mine();
    rarity.add(terms);
  }
  let all: { sentence: Sentence; vector: Vector }[] = [];
  for (const [at, sentence] of sentences.entries()) {
    if (at % 100 === 0) await turn.mine();
    all.push({ sentence, vector: vectorOf(sentence.terms, rarity) });
  }
  if (all.length > COMPARED) all = await nearestToMiddle(all, turn);
  const scores = await centrality(
    all.map(({ vector }) => vector),
    turn,
  );
  const most = Math.max(...scores, Number.MIN_VALUE);
  return all.map(({ sentence, vector }, at) => ({
    sentence,
    vector,
    score: ((scores[at] ?? 0) / most + FIRST_WEIGHT / (1 + sentence.position)) / (1 + FIRST_WEIGHT),
  }));
}

async function nearestToMiddle<One extends { readonly vector: Vector }>(
  all: readonly One[],
  turn: Turn,
): Promise<One[]> {
  const middle = new Map<string, number>();
  for (const [at, { vector }] of all.entries()) {
    if (at % 100 === 0) await turn.mine();
    for (const [term, weight] of vector) middle.set(term, (middle.get(term) ?? 0) + weight);
  }
  const near: { one: One; at: number; score: number }[] = [];
  for (const [at, one] of all.entries()) {
    if (at % 100 === 0) await turn.mine();
    let score = 0;
    for (const [term, weight] of one.vector) score += weight * (middle.get(term) ?? 0);
    near.push({ one, at, score });
  }
  return near
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, COMPARED)
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

/** Power iteration over the graph of similar sentences. */
async function centrality(vectors: readonly Vector[], turn: Turn): Promise<readonly number[]> {
  const n = vectors.length;
  const edges: { to: number; weight: number }[][] = vectors.map(() => []);
  const sums = new Float64Array(n);
  for (let a = 0; a < n; a += 1) {
    await turn.mine();
    for (let b = a + 1; b < n; b += 1) {
      const weight = nearness(vectors[a] as Vector, vectors[b] as Vector);
      if (weight < LINKED) continue;
      edges[a]?.push({ to: b, weight });
      edges[b]?.push({ to: a, weight });
      sums[a] = (sums[a] ?? 0) + weight;
      sums[b] = (sums[b] ?? 0) + weight;
    }
  }
  let scores = new Float64Array(n).fill(1 / Math.max(1, n));
  for (let round = 0; round < ROUNDS; round += 1) {
    await turn.mine();
    const next = new Float64Array(n).fill((1 - DAMPING) / Math.max(1, n));
    for (let from = 0; from < n; from += 1)
      for (const { to, weight } of edges[from] ?? [])
        next[to] = (next[to] ?? 0) + (DAMPING * (scores[from] ?? 0) * weight) / (sums[from] || 1);
    scores = next;
  }
  return [...scores];
}
