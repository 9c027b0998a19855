import { join, posix } from 'node:path';
import type { EmbedKind } from '../embedder.ts';
import { brokenModel } from './broken-model.ts';
import { readOptionalJson } from './read-json.ts';

export type Pooling = 'mean' | 'cls' | 'max' | 'last';

/** How a sentence encoder wants to be used, as Sentence Transformers keeps it beside the weights. */
export interface EncoderSettings {
  readonly pooling: Pooling;
  /** Tokens per text, those that every text gets included. */
  readonly mostTokens: number;
  /** Goes before every text. */
  readonly prompts: Readonly<Record<EmbedKind, string>>;
}

/** Attention costs the square of the length, and passages are shorter than this. */
const MOST_TOKENS = 1024;
const DEFAULT_TOKENS = 512;

/** Positions of these families start after the padding token's. */
const SHIFTED_POSITIONS = new Set(['roberta', 'xlm-roberta', 'camembert', 'mpnet']);

const POOLING_MODES: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  // Differs from the mean by a factor only.
  pooling_mode_mean_sqrt_len_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_lasttoken: 'last',
};

type Settings = Readonly<Record<string, unknown>>;

/**
 * @throws LecternError `invalid_input` for a model with parts between pooling and the vector that the
 *   ONNX graph does not hold, or with a pooling that is not supported
 */
export async function readEncoderSettings(root: string): Promise<EncoderSettings> {
  const read = async (name: string) => ((await readOptionalJson(join(root, name))) ?? {}) as Settings;
  const modules = ((await readOptionalJson(join(root, 'modules.json'))) ?? []) as object;
  const [config, limits, prompts] = await Promise.all(
    ['config.json', 'sentence_bert_config.json', 'config_sentence_transformers.json'].map(read),
  );
  return {
    pooling: poolingOf(await read(posix.join(poolingFolder(modules), 'config.json'))),
    mostTokens: mostTokensOf(config ?? {}, limits ?? {}),
    prompts: promptsOf(prompts ?? {}),
  };
}

/** Modules run one after the other: the encoder, pooling, and then only what does not change the direction. */
function poolingFolder(modules: object): string {
  let folder = '1_Pooling';
  if (!Array.isArray(modules)) return folder;
  for (const { type, path } of modules as { type?: unknown; path?: unknown }[]) {
    const name = String(type).split('.').at(-1);
    if (name === 'Pooling' && path === folder) folder = path;
    else if (name !== 'Transformer' && name !== 'Normalize')
      throw brokenModel(`The model has a part of the kind ${JSON.stringify(name)}, which is not supported.`);
  }
  return folder;
}

function poolingOf(settings: Settings): Pooling {
  const on = Object.entries(settings)
    .filter(([key, value]) => key.startsWith('pooling_mode_') && value === true)
    .map(([key]) => key);
  if (on.length === 0) return 'mean';
  const [mode] = on.map((key) => POOLING_MODES[key]);
  if (on.length > 1 || mode === undefined)
    throw brokenModel(`The pooling ${on.join(' with ')} is not supported.`);
  if (settings.include_prompt === false && mode === 'mean')
    throw brokenModel('Pooling that leaves out the prompt is not supported.');
  return mode;
}

function mostTokensOf(config: Settings, limits: Settings): number {
  const shift = SHIFTED_POSITIONS.has(String(config.model_type)) ? 2 : 0;
  const candidates = [Number(limits.max_seq_length), Number(config.max_position_embeddings) - shift];
  const known = candidates.filter((each) => Number.isSafeInteger(each) && each > 0);
  return Math.min(MOST_TOKENS, known.length === 0 ? DEFAULT_TOKENS : Math.min(...known));
}

function promptsOf(settings: Settings): Record<EmbedKind, string> {
  const prompts = (settings.prompts ?? {}) as Settings;
  const first = (...names: readonly unknown[]) =>
    names
      .map((name) => (typeof name === 'string' && Object.hasOwn(prompts, name) ? prompts[name] : undefined))
      .find((prompt) => typeof prompt === 'string') ?? '';
  const usual = settings.default_prompt_name;
  return { query: String(first('query', usual)), passage: String(first('document', 'passage', usual)) };
}
