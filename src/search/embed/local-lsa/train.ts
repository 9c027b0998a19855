import type { Pacer } from '../../pacer.ts';
import { yieldTurn } from '../yield-turn.ts';
import { type LsaModel, termWeight } from './model.ts';
import { type SparseRows, SparseRowsBuilder } from './sparse.ts';
import { type TermSpace, truncatedSvd } from './svd.ts';
import { type TermCounts, type Vocabulary, VocabularyBuilder } from './vocabulary.ts';

/** Measured on four collections: 96 loses recall on all, 192 gains on large ones what it costs in time. */
const LSA_DIMENSIONS = 128;
/** Terms kept. Half of it loses a tenth of the recall in a Chinese vault, whose terms are character pairs. */
const VOCABULARY_LIMIT = 50_000;
/** Axes weigh by this power of their singular value: 0 treats the faintest like the strongest, 1 lets two rule. */
const AXIS_POWER = 0.2;
/** Of a component, in either direction. */
const STEPS = 127;
const RARE_STEPS = 7;
/** Passages of a rare term at most: more than half of all terms are. */
const RARE = 8;
/** With fewer passages than this there is nothing to learn from. */
export const LEAST_PASSAGES = 40;
/** More passages than this change the space little and cost time in proportion. */
export const SAMPLE_PASSAGES = 12_000;

/**
 * Learns a space from the passages of a vault: tf-idf weights, each passage scaled to length 1, then a
 * truncated SVD. Few passages give fewer dimensions: a space as wide as its sample remembers
 * instead of generalising. The same passages always give the same space.
 *
 * @param passages without repeats (copies would pull the space towards themselves)
 * @throws AbortError when the pacer's signal aborts
 */
export async function trainLsa(passages: readonly string[], pacer: Pacer): Promise<LsaModel> {
  const builder = new VocabularyBuilder();
  for (const passage of passages) {
    builder.add(passage);
    await yieldTurn(pacer);
  }
  const vocabulary = builder.build(VOCABULARY_LIMIT);
  const { rows, terms } = await weighted(passages, vocabulary, pacer);
  const wanted = Math.min(LSA_DIMENSIONS, Math.max(8, Math.floor(passages.length / 3)));
  const space = await truncatedSvd(rows, wanted, pacer);
  return {
    vocabulary,
    ...quantised(space, vocabulary),
    averageLength: Math.max(1, terms / Math.max(1, passages.length)),
  };
}

async function weighted(
  passages: readonly string[],
  vocabulary: Vocabulary,
  pacer: Pacer,
): Promise<{ rows: SparseRows; terms: number }> {
  const builder = new SparseRowsBuilder();
  let terms = 0;
  for (const passage of passages) {
    const counted = vocabulary.count(passage);
    builder.push(counted.ids, unitWeights(vocabulary, counted));
    for (const count of counted.counts) terms += count;
    await yieldTurn(pacer);
  }
  return { rows: builder.build(vocabulary.size), terms };
}

function unitWeights(vocabulary: Vocabulary, { ids, counts }: TermCounts): Float32Array {
  const weights = new Float32Array(ids.length);
  let square = 0;
  for (let i = 0; i < ids.length; i += 1) {
    const weight = termWeight(vocabulary, ids[i] as number, counts[i] as number);
    weights[i] = weight;
    square += weight * weight;
  }
  if (square === 0) return weights;
  return weights.map((weight) => weight / Math.sqrt(square));
}

/** Rows of terms that few passages have are stored coarsely, which no collection in `bench/retrieval` tells. */
function quantised({ basis, singular, dimensions }: TermSpace, { frequencies }: Vocabulary) {
  const terms = dimensions === 0 ? 0 : basis.length / dimensions;
  const rows = new Int8Array(basis.length);
  const scales = new Float32Array(terms);
  const first = singular[0] ?? 1;
  const axes = Float64Array.from(singular, (value) => (value / first) ** AXIS_POWER);
  for (let term = 0; term < terms; term += 1) {
    const base = term * dimensions;
    let largest = 0;
    for (let d = 0; d < dimensions; d += 1)
      largest = Math.max(largest, Math.abs((basis[base + d] as number) * (axes[d] as number)));
    if (largest === 0) continue;
    const steps = (frequencies[term] as number) <= RARE ? RARE_STEPS : STEPS;
    scales[term] = largest / steps;
    for (let d = 0; d < dimensions; d += 1)
      rows[base + d] = Math.round((((basis[base + d] as number) * (axes[d] as number)) / largest) * steps);
  }
  return { dimensions, basis: rows, scales };
}
