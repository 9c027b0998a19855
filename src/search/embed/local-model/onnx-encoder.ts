import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LecternError } from '../../../errors.ts';
import { Pacer } from '../../pacer.ts';
import type { Embedder } from '../embedder.ts';
import { yieldTurn } from '../yield-turn.ts';
import { brokenModel } from './broken-model.ts';
import { type EncoderSettings, readEncoderSettings } from './encoder-settings.ts';
import type { OnnxLayout } from './layout.ts';
import { findOnnxRuntime, type OnnxRuntime, type OnnxSession, QUIET } from './onnx-runtime.ts';
import { sentenceVector } from './pooling.ts';
import { type ModelTokenizer, openTokenizer } from './tokenizer.ts';

/** WebAssembly addresses 4 GiB, with the graph and its weights in it at once. */
const MOST_MODEL_BYTES = 2 ** 31;

/** What the inputs of encoders hold at each position, from the tokens. */
const INPUTS: Readonly<Record<string, (id: number, position: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: () => 0,
  position_ids: (_, position) => position,
};

interface Encoder {
  readonly runtime: OnnxRuntime;
  readonly session: OnnxSession;
  readonly tokenizer: ModelTokenizer;
  readonly settings: EncoderSettings;
}

/**
 * A sentence encoder in ONNX form with its tokenizer and Sentence Transformers' settings. Texts go
 * through one by one: without padding that is as fast on a processor as batches are, and between two of
 * them other work gets its turn.
 * @throws LecternError `unavailable` when no runtime is installed, `invalid_input` for a broken model
 */
export async function openOnnxModel(
  id: string,
  layout: OnnxLayout,
  runtime?: OnnxRuntime,
): Promise<Embedder> {
  const encoder = await load(layout, runtime ?? (await findOnnxRuntime()));
  try {
    const [probe] = await encodeAll(encoder, ['dimensions'], 'passage');
    return {
      id,
      dimensions: probe?.length ?? 0,
      kind: 'neural',
      batch: 8,
      embed: (texts, kind, signal) => encodeAll(encoder, texts, kind, signal),
      close: () => encoder.session.release(),
    };
  } catch (error) {
    await encoder.session.release();
    throw error;
  }
}

async function load(layout: OnnxLayout, runtime: OnnxRuntime): Promise<Encoder> {
  const settings = await readEncoderSettings(layout.root);
  const tokenizer = await openTokenizer(layout.root);
  if (settings.mostTokens <= tokenizer.prefix.length + tokenizer.suffix.length)
    throw brokenModel('The model takes no text: its longest input is too short.');
  const session = await openSession(layout, runtime);
  const unknown = session.inputNames.find((name) => !Object.hasOwn(INPUTS, name));
  if (unknown !== undefined || !session.inputNames.includes('input_ids')) {
    await session.release();
    throw brokenModel(
      `The ONNX graph wants the inputs ${session.inputNames.join(', ')}: it is no sentence encoder.`,
    );
  }
  return { runtime, session, tokenizer, settings };
}

async function openSession(
  layout: OnnxLayout,
  { module, sessionOptions }: OnnxRuntime,
): Promise<OnnxSession> {
  const { root, model, externalData } = layout;
  for (const file of externalData === undefined ? [model] : [model, externalData])
    if ((await stat(join(root, file))).size > MOST_MODEL_BYTES)
      throw new LecternError('too_large', 'The model is larger than 2 GiB.', {
        next: 'Choose a smaller one.',
      });
  try {
    return await module.InferenceSession.create(await readFile(join(root, model)), {
      ...sessionOptions,
      ...(externalData !== undefined && {
        externalData: [{ path: basename(externalData), data: await readFile(join(root, externalData)) }],
      }),
    });
  } catch (error) {
    throw brokenModel(`${basename(model)} is no ONNX model that the runtime can load.`, error);
  }
}

async function encodeAll(
  encoder: Encoder,
  texts: readonly string[],
  kind: 'passage' | 'query',
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const pacer = new Pacer(Number.POSITIVE_INFINITY, signal);
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    signal?.throwIfAborted();
    vectors.push(await encode(encoder, text, kind, pacer));
    await yieldTurn(pacer);
  }
  return vectors;
}

async function encode(
  { runtime, session, tokenizer, settings }: Encoder,
  text: string,
  kind: 'passage' | 'query',
  pacer: Pacer,
): Promise<Float32Array> {
  const { prefix, suffix } = tokenizer;
  const room = settings.mostTokens - prefix.length - suffix.length;
  const ids = [...prefix, ...(await tokenizer.encode(settings.prompts[kind] + text, room, pacer)), ...suffix];
  // Graphs refuse a sequence of no tokens; a text without any has no direction either.
  if (ids.length === 0) ids.push(tokenizer.unknown ?? 0);
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => {
      const data = BigInt64Array.from(ids, (id, position) => BigInt(INPUTS[name]?.(id, position) ?? 0));
      return [name, new runtime.module.Tensor('int64', data, [1, ids.length])];
    }),
  );
  try {
    return sentenceVector(await session.run(feeds, QUIET), settings.pooling);
  } catch (error) {
    if (error instanceof LecternError) throw error;
    throw new LecternError('unavailable', 'The local model failed on a text.', {
      cause: error,
      next: 'Check it with lectern model add, or choose another one.',
    });
  }
}
