import type { Embedder } from '../embedder.ts';
import { type EmbeddingProtocol, httpEmbedder, probeDimensions } from './http-embedder.ts';

export interface OllamaOptions {
  /** e.g. `http://127.0.0.1:11434` */
  readonly baseUrl: string;
  /** As Ollama names it: `nomic-embed-text`, `bge-m3`. */
  readonly model: string;
  /** Learned from the endpoint when left out. */
  readonly dimensions?: number;
}

/**
 * Ollama's `POST /api/embed`.
 * @throws LecternError `unavailable` when the dimensions have to be asked for and it does not answer
 */
export async function ollamaEmbedder(options: OllamaOptions, signal?: AbortSignal): Promise<Embedder> {
  const base = options.baseUrl.replace(/\/+$/, '');
  const protocol: EmbeddingProtocol = {
    url: `${base}/api/embed`,
    headers: {},
    // Cutting what is too long is better than a failed batch: passages are short anyway.
    body: (texts) => ({ model: options.model, input: texts, truncate: true }),
    vectors: (answer) => (answer as { embeddings?: unknown } | null)?.embeddings,
  };
  const common = { id: `ollama/${options.model}`, name: `Ollama at ${base}`, batch: 32, protocol };
  return httpEmbedder({
    ...common,
    dimensions: options.dimensions ?? (await probeDimensions(common, signal)),
  });
}
