import type { Embedder } from '../embedder.ts';
import { type EmbeddingProtocol, httpEmbedder, probeDimensions } from './http-embedder.ts';

export interface OpenAiOptions {
  /** Up to and including the version: `https://host/v1`. Any server that speaks this format. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string;
  /** Asked of models that can shorten their vectors; learned from the endpoint when left out. */
  readonly dimensions?: number;
}

/**
 * The `POST /v1/embeddings` format of OpenAI, which most other servers speak as well.
 * @throws LecternError `unavailable` when the dimensions have to be asked for and it does not answer
 */
export async function openAiEmbedder(options: OpenAiOptions, signal?: AbortSignal): Promise<Embedder> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const { model, apiKey, dimensions } = options;
  const protocol: EmbeddingProtocol = {
    url: `${base}/embeddings`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    body: (texts) => ({
      model,
      input: texts,
      encoding_format: 'float',
      ...(dimensions !== undefined && { dimensions }),
    }),
    vectors: inOrder,
  };
  const id = `openai/${new URL(base).host}/${model}${dimensions === undefined ? '' : `@${dimensions}`}`;
  const common = { id, name: `The embeddings endpoint at ${base}`, batch: 64, protocol };
  return httpEmbedder({ ...common, dimensions: dimensions ?? (await probeDimensions(common, signal)) });
}

/** Each vector comes with the position of its text, and not always in that order. */
function inOrder(answer: unknown): unknown {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  return [...data]
    .sort((a, b) => Number(a?.index ?? 0) - Number(b?.index ?? 0))
    .map((each: { embedding?: unknown } | null) => each?.embedding);
}
