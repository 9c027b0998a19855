import { normalise } from '../../vector/quantise.ts';
import { brokenModel } from './broken-model.ts';
import type { Pooling } from './encoder-settings.ts';
import type { OnnxTensor } from './onnx-runtime.ts';

/** Graphs that pool themselves name their result like this. */
const POOLED = ['sentence_embedding', 'embeddings'];
const PER_TOKEN = ['last_hidden_state', 'token_embeddings'];

/**
 * One text's vector, of length 1, from what the graph gives: [1, dimensions] is pooled already,
 * [1, tokens, dimensions] is pooled here. There is no padding, so every token counts.
 * @throws LecternError `invalid_input` when the graph gives neither
 */
export function sentenceVector(
  outputs: Readonly<Record<string, OnnxTensor>>,
  pooling: Pooling,
): Float32Array {
  const name = [...POOLED, ...PER_TOKEN].find((each) => outputs[each]) ?? Object.keys(outputs)[0] ?? '';
  const output = outputs[name];
  const dims = output?.dims ?? [];
  const data = output?.data;
  const dimensions = dims.at(-1) ?? 0;
  const tokens = dims.length === 3 ? (dims[1] ?? 0) : 1;
  const fits = dims[0] === 1 && (dims.length === 2 || dims.length === 3) && tokens * dimensions > 0;
  if (!(data instanceof Float32Array) || !fits || data.length !== tokens * dimensions)
    throw brokenModel(
      `The ONNX graph gives ${output?.type ?? 'nothing'} of the shape [${dims.join(', ')}], which is no sentence vector.`,
    );
  const vector = normalise(pooled(data, tokens, dimensions, pooling));
  if (!vector.every(Number.isFinite)) throw brokenModel('The model gives values that are no numbers.');
  return vector;
}

function pooled(data: Float32Array, tokens: number, dimensions: number, pooling: Pooling): Float32Array {
  if (pooling === 'cls' || tokens === 1) return data.slice(0, dimensions);
  if (pooling === 'last') return data.slice((tokens - 1) * dimensions);
  const result = data.slice(0, dimensions);
  for (let at = dimensions; at < data.length; at += 1) {
    const d = at % dimensions;
    const value = data[at] as number;
    const before = result[d] as number;
    result[d] = pooling === 'max' ? Math.max(before, value) : before + value;
  }
  return result;
}
