import type { TermCounts, Vocabulary } from './vocabulary.ts';

/** A trained space: what turns any text into a vector. */
export interface LsaModel {
  readonly vocabulary: Vocabulary;
  readonly dimensions: number;
  /** One row of `dimensions` per term, quantised; multiply by the term's scale. */
  readonly basis: Int8Array;
  readonly scales: Float32Array;
  /** Passages the model was trained on or for: what drift is measured against. */
  readonly trainedOn: number;
}

/** Weight of a term that stands `count` times: a word said ten times is not ten times as telling. */
export function termWeight(vocabulary: Vocabulary, id: number, count: number): number {
  return (1 + Math.log(count)) * vocabulary.idf(id);
}

/** Folds counted terms into the space: a unit vector, or all zeros when no term is known. */
export function foldIn(model: LsaModel, { ids, counts }: TermCounts): Float32Array {
  const { dimensions, basis, scales } = model;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number;
    const weight = termWeight(model.vocabulary, id, counts[i] as number) * (scales[id] as number);
    const base = id * dimensions;
    for (let d = 0; d < dimensions; d += 1)
      vector[d] = (vector[d] as number) + weight * (basis[base + d] as number);
  }
  return normalise(vector);
}

/** Scales to length 1 in place. */
export function normalise(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square > 0) {
    const inverse = 1 / Math.sqrt(square);
    for (let d = 0; d < vector.length; d += 1) vector[d] = (vector[d] as number) * inverse;
  }
  return vector;
}
