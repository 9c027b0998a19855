import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { tinyEncoderBytes } from './onnx-bytes.testing.ts';
import { safetensorsBytes } from './safetensors-bytes.testing.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that goes when the test ends. Objects are written as JSON. */
export function modelFolder(files: Readonly<Record<string, Uint8Array | string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-model-'));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const raw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(join(folder, name), raw ? content : JSON.stringify(content));
  }
  return folder;
}

export const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'garden', 'soil', 'server', 'disk', '##s'];

/** A BERT tokenizer over {@link VOCABULARY}, as `tokenizer.json` has it. */
export function tinyTokenizer(vocabulary: readonly string[] = VOCABULARY): object {
  const special = (token: string) => ({ id: token, ids: [vocabulary.indexOf(token)], tokens: [token] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  };
}

/** A token's vector: gardening to the left, servers to the right, the plural a little upwards. */
export const TABLE: readonly (readonly number[])[] = [
  [0, 0],
  [9, 9],
  [0, 0],
  [0, 0],
  [1, 0],
  [2, 0],
  [0, 1],
  [0, 2],
  [0.5, 0.5],
];

export function staticModelFiles(): Record<string, Uint8Array | object> {
  const data = Float32Array.from(TABLE.flat());
  return {
    'model.safetensors': safetensorsBytes({ embeddings: { dtype: 'F32', shape: [TABLE.length, 2], data } }),
    'tokenizer.json': tinyTokenizer(),
    'config.json': { model_type: 'model2vec', normalize: true },
  };
}

export function onnxModelFiles(): Record<string, Uint8Array | object> {
  return { 'model.onnx': tinyEncoderBytes({ table: TABLE }), 'tokenizer.json': tinyTokenizer() };
}
