import type { Pacer } from '../pacer.ts';
import { type LsaModel, termWeight } from './model.ts';
import { SparseRowsBuilder } from './sparse.ts';
import { truncatedSvd } from './svd.ts';
import { VocabularyBuilder } from './vocabulary.ts';

export interface TrainOptions {
  readonly dimensions?: number;
  readonly vocabularyLimit?: number;
  /** Power to which singular values weigh the axes; see bench/retrieval. */
  readonly axisPower?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

export const LSA_DIMENSIONS = 128;
const VOCABULARY_LIMIT = 50_000;

/**
 * Learns a space from the passages of a vault: tf-idf weights, then a truncated SVD.
 * Few passages give fewer dimensions, since a space as wide as the sample remembers instead of generalising.
 *
 * @param passages read twice, in the same order both times
 */
export async function trainLsa(
  passages: readonly string[],
  pacer: Pacer,
  options: TrainOptions = {},
): Promise<LsaModel> {
  const builder = new VocabularyBuilder();
  for (const passage of passages) {
    builder.add(passage);
    await pacer.pause();
  }
  const vocabulary = builder.build(options.vocabularyLimit ?? VOCABULARY_LIMIT);
  const rows = new SparseRowsBuilder();
  for (const passage of passages) {
    const { ids, counts } = vocabulary.count(passage);
    const values = new Float32Array(ids.length);
    let square = 0;
    for (let i = 0; i < ids.length; i += 1) {
      const weight = termWeight(vocabulary, ids[i] as number, counts[i] as number);
      values[i] = weight;
      square += weight * weight;
    }
    if (square > 0)
      for (let i = 0; i < values.length; i += 1) values[i] = (values[i] as number) / Math.sqrt(square);
    rows.push(ids, values);
    await pacer.pause();
  }
  const wanted = Math.min(options.dimensions ?? LSA_DIMENSIONS, Math.max(8, Math.floor(passages.length / 3)));
  const space = await truncatedSvd(rows.build(vocabulary.size), wanted, pacer);
  return {
    vocabulary,
    ...quantise(space.basis, space.singular, space.dimensions, options.axisPower ?? 0),
    trainedOn: passages.length,
  };
}

function quantise(basis: Float32Array, singular: Float64Array, dimensions: number, power: number) {
  const terms = dimensions === 0 ? 0 : basis.length / dimensions;
  const quantised = new Int8Array(basis.length);
  const scales = new Float32Array(terms);
  const first = singular[0] ?? 1;
  const row = new Float32Array(dimensions);
  for (let t = 0; t < terms; t += 1) {
    let largest = 0;
    for (let d = 0; d < dimensions; d += 1) {
      const value = (basis[t * dimensions + d] as number) * ((singular[d] as number) / first) ** power;
      row[d] = value;
      largest = Math.max(largest, Math.abs(value));
    }
    scales[t] = largest / 127;
    if (largest > 0)
      for (let d = 0; d < dimensions; d += 1)
        quantised[t * dimensions + d] = Math.round(((row[d] as number) / largest) * 127);
  }
  return { dimensions, basis: quantised, scales };
}
