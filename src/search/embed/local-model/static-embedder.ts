import { join } from 'node:path';
import { Pacer } from '../../pacer.ts';
import { normalise } from '../../vector/quantise.ts';
import type { Embedder } from '../embedder.ts';
import { brokenModel } from './broken-model.ts';
import { type EmbeddingTable, embeddingTable, tokenRows, tokenWeights } from './embedding-table.ts';
import type { StaticLayout } from './layout.ts';
import { SafetensorsFile } from './safetensors.ts';
import { type ModelTokenizer, openTokenizer } from './tokenizer.ts';

/** Tokens per text; passages have a few hundred. */
const MOST_TOKENS = 2048;

interface StaticModel {
  readonly table: EmbeddingTable;
  readonly tokenizer: ModelTokenizer;
  /** Per token, where several tokens share a row. */
  readonly mapping: Uint32Array | undefined;
  readonly weights: Float64Array | undefined;
  readonly skipped: number | undefined;
}

/**
 * A static model, as Model2Vec (`embeddings`, optional `weights` and `mapping`) and Sentence
 * Transformers' StaticEmbedding (`embedding.weight`) write them: a text's vector is the mean of its
 * tokens' vectors. Always scaled to length 1, whatever `normalize` says in config.json: vectors are
 * compared by their angle.
 * @throws LecternError `invalid_input`
 */
export async function openStaticModel(id: string, layout: StaticLayout): Promise<Embedder> {
  const model = await load(layout);
  const { dimensions } = model.table;
  return {
    id,
    dimensions,
    kind: 'neural',
    batch: 32,
    async embed(texts, _kind, signal) {
      const pacer = new Pacer(Number.POSITIVE_INFINITY, signal);
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        signal?.throwIfAborted();
        const tokens = await model.tokenizer.encode(text, MOST_TOKENS, pacer);
        vectors.push(meanOf(model, tokens));
      }
      return vectors;
    },
  };
}

async function load({ root, folder, tensor }: StaticLayout): Promise<StaticModel> {
  const tokenizer = await openTokenizer(join(root, folder));
  const file = await SafetensorsFile.open(join(root, folder, 'model.safetensors'));
  try {
    const table = embeddingTable(await file.read(tensor));
    const mapping = file.tensors.has('mapping')
      ? tokenRows(await file.read('mapping'), table.rows)
      : undefined;
    const tokens = mapping?.length ?? table.rows;
    if (tokenizer.size > tokens)
      throw brokenModel(`The tokenizer knows ${tokenizer.size} tokens, the embeddings only ${tokens}.`);
    const weights = file.tensors.has('weights')
      ? tokenWeights(await file.read('weights'), tokens)
      : undefined;
    // Model2Vec leaves unknown words out of the mean; StaticEmbedding has a row for them.
    const skipped = tensor === 'embeddings' ? tokenizer.unknown : undefined;
    return { table, tokenizer, mapping, weights, skipped };
  } finally {
    await file.close();
  }
}

function meanOf({ table, mapping, weights, skipped }: StaticModel, tokens: readonly number[]): Float32Array {
  const sum = new Float64Array(table.dimensions);
  for (const token of tokens)
    if (token !== skipped) table.add(sum, mapping?.[token] ?? token, weights?.[token] ?? 1);
  // The mean differs from the sum by a factor that goes with the length.
  const vector = normalise(Float32Array.from(sum));
  if (!vector.every(Number.isFinite)) throw brokenModel('The embeddings hold values that are no numbers.');
  return vector;
}
