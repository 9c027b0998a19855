import { normalise } from '../../vector/quantise.ts';
import type { TermCounts, Vocabulary } from './vocabulary.ts';

/** A trained space: what turns any text into a vector. */
export interface LsaModel {
  readonly vocabulary: Vocabulary;
  readonly dimensions: number;
  /** One row of `dimensions` per term, quantised; multiply by the term's scale. */
  readonly basis: Int8Array;
  readonly scales: Float32Array;
  /** Terms in a passage of the training sample, on average. */
  readonly averageLength: number;
}

/** Weight of a term that stands `count` times: a word said ten times is not ten times as telling. */
export function termWeight(vocabulary: Vocabulary, id: number, count: number): number {
  return (1 + Math.log(count)) * vocabulary.idf(id);
}

/** Folds counted terms into the space: a unit vector, or all zeros when no term is known. */
export function foldIn(model: LsaModel, { ids, counts }: TermCounts): Float32Array {
  const { dimensions, basis, scales, vocabulary } = model;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number;
    const weight = termWeight(vocabulary, id, counts[i] as number) * (scales[id] as number);
    const base = id * dimensions;
    for (let d = 0; d < dimensions; d += 1)
      vector[d] = (vector[d] as number) + weight * (basis[base + d] as number);
  }
  return normalise(vector);
}
