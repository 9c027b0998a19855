import { describe, expect, it } from 'vitest';
import {
  modelFolder,
  onnxModelFiles,
  staticModelFiles,
  TABLE,
  tinyTokenizer,
  VOCABULARY,
} from './model-folder.testing.ts';
import { tinyEncoderBytes } from './onnx-bytes.testing.ts';
import { findOnnxRuntime } from './onnx-runtime.ts';
import { openLocalModel } from './open.ts';

type Files = Record<string, Uint8Array | string | object>;

async function vectors(files: Files, texts: readonly string[], kind: 'passage' | 'query' = 'passage') {
  const model = await openLocalModel(modelFolder(files));
  try {
    const all = await model.embed(texts, kind);
    return all.map((vector) => [...vector].map((value) => Math.round(value * 100) / 100));
  } finally {
    await model.close?.();
  }
}

const pooling = (mode: string) => ({
  [`pooling_mode_${mode}`]: true,
  pooling_mode_mean_tokens: mode === 'mean_tokens',
});

/** [CLS] has a direction of its own here, so that pooling over it shows. */
const MARKED = TABLE.map((row, token) => (VOCABULARY[token] === '[CLS]' ? [0, 4] : row));
const marked = (more: Files = {}): Files => ({
  'onnx/model.onnx': tinyEncoderBytes({ table: MARKED }),
  'tokenizer.json': tinyTokenizer(),
  ...more,
});

describe('an ONNX sentence encoder', () => {
  it('runs on the installed runtime: mean over the tokens, of length 1', async () => {
    const model = await openLocalModel(modelFolder(onnxModelFiles()), 'tiny');
    expect(model).toMatchObject({ dimensions: 2, kind: 'neural' });
    expect(model.id).toMatch(/^model\/tiny@[0-9a-f]{12}$/);
    const [garden, mixed, empty] = await model.embed(['Garden soil', 'soil disk', ''], 'passage');
    expect([...garden!]).toEqual([1, 0]);
    expect([...mixed!]).toEqual([expect.closeTo(Math.SQRT1_2, 6), expect.closeTo(Math.SQRT1_2, 6)]);
    expect([...empty!]).toEqual([0, 0]);
    await model.close?.();
  });

  it('runs what follows the lookup', async () => {
    const turned = tinyEncoderBytes({
      table: TABLE,
      matrix: [
        [0, 1],
        [1, 0],
      ],
      inputs: ['input_ids', 'attention_mask'],
    });
    expect(await vectors({ ...onnxModelFiles(), 'model.onnx': turned }, ['garden'])).toEqual([[0, 1]]);
  });

  it('counts [CLS] and [SEP] in the mean, and takes [CLS] alone where the model wants that', async () => {
    expect(await vectors(marked(), ['soil soil'])).toEqual([[0.71, 0.71]]);
    expect(await vectors(marked({ '1_Pooling/config.json': pooling('cls_token') }), ['soil'])).toEqual([
      [0, 1],
    ]);
    expect(await vectors(marked({ '1_Pooling/config.json': pooling('max_tokens') }), ['soil'])).toEqual([
      [0.45, 0.89],
    ]);
    expect(await vectors(marked({ '1_Pooling/config.json': pooling('lasttoken') }), ['soil'])).toEqual([
      [0, 0],
    ]);
  });

  it('takes a graph that pools by itself', async () => {
    const graph = tinyEncoderBytes({ table: TABLE, output: 'sentence_embedding' });
    expect(await vectors({ ...onnxModelFiles(), 'model.onnx': graph }, ['disk'])).toEqual([[0, 1]]);
  });

  it('puts questions and passages through the prompts of the model', async () => {
    const prompts = { query: 'server ', document: 'soil ' };
    const files = { ...onnxModelFiles(), 'config_sentence_transformers.json': { prompts } };
    expect(await vectors(files, ['garden'], 'query')).toEqual([[0.71, 0.71]]);
    expect(await vectors(files, ['garden'], 'passage')).toEqual([[1, 0]]);
    expect(await vectors(files, ['server'], 'passage')).toEqual([[0.89, 0.45]]);
  });

  it('cuts texts to the longest input, with what belongs around them', async () => {
    const limited = (max_seq_length: number) => marked({ 'sentence_bert_config.json': { max_seq_length } });
    expect(await vectors(limited(4), ['soil soil disk disk'])).toEqual([[0.71, 0.71]]);
    await expect(vectors(limited(2), ['soil'])).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('prefers the full graph to smaller ones, and a static table to any', async () => {
    const other = tinyEncoderBytes({
      table: TABLE,
      matrix: [
        [0, 1],
        [1, 0],
      ],
    });
    const files = { 'onnx/model_int8.onnx': other, 'onnx/model_O4.onnx': other, ...marked() };
    expect(await vectors(files, ['soil soil'])).toEqual([[0.71, 0.71]]);
    expect(await vectors({ ...files, ...staticModelFiles() }, ['soil'])).toEqual([[1, 0]]);
  });

  it.each<[string, Files, RegExp]>([
    ['a graph that is none', { 'model.onnx': 'not protobuf' }, /no ONNX model/],
    [
      'an input no encoder has',
      { 'model.onnx': tinyEncoderBytes({ table: TABLE, inputs: ['input_ids', 'pixels'] }) },
      /pixels/,
    ],
    [
      'a dense layer outside the graph',
      { 'modules.json': [{ type: 'sentence_transformers.models.Dense', path: '2_Dense' }] },
      /Dense/,
    ],
    [
      'two poolings',
      { '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: true } },
      /pooling/,
    ],
    [
      'an unknown pooling',
      { '1_Pooling/config.json': { pooling_mode_weightedmean_tokens: true } },
      /weightedmean/,
    ],
  ])('refuses %s', async (_, files, message) => {
    await expect(vectors({ ...onnxModelFiles(), ...files }, ['soil'])).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
    });
  });

  it('says that it failed on tokens the graph does not know', async () => {
    const files = { ...onnxModelFiles(), 'model.onnx': tinyEncoderBytes({ table: TABLE.slice(0, 5) }) };
    await expect(vectors(files, ['disk'])).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('findOnnxRuntime', () => {
  const runtime = { InferenceSession: { create: () => undefined }, Tensor: class {}, env: {} };
  const missing = (name: string) => Promise.reject(new Error(`Cannot find package '${name}'`));

  it('prefers native code', async () => {
    expect((await findOnnxRuntime(async () => ({ default: runtime }))).name).toBe('onnxruntime-node');
  });

  it('takes WebAssembly where native code is missing or broken', async () => {
    const found = await findOnnxRuntime((name) =>
      name === 'onnxruntime-node' ? missing(name) : Promise.resolve(runtime),
    );
    expect(found.name).toBe('onnxruntime-web');
  });

  it('says what to install when there is none', async () => {
    await expect(findOnnxRuntime(missing)).rejects.toMatchObject({
      code: 'unavailable',
      next: expect.stringContaining('onnxruntime-node'),
    });
  });
});
