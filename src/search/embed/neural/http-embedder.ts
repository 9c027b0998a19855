import { LecternError } from '../../../errors.ts';
import { normalise } from '../../vector/quantise.ts';
import type { Embedder, EmbedKind } from '../embedder.ts';

/** How one wire format asks for vectors. */
export interface EmbeddingProtocol {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  body(texts: readonly string[], kind: EmbedKind): unknown;
  /** One list of numbers per text, in order; anything else is reported as a broken answer. */
  vectors(answer: unknown): unknown;
}

export interface HttpEmbedderOptions {
  /** Names the provider and the model. */
  readonly id: string;
  /** Shown in errors, e.g. `Ollama at http://127.0.0.1:11434`. */
  readonly name: string;
  readonly dimensions: number;
  readonly batch: number;
  readonly protocol: EmbeddingProtocol;
  /** One request's time, ms. */
  readonly timeoutMs?: number;
}

/** Longer answers are no embeddings. */
const MOST_BYTES = 64 * 1024 * 1024;

/** An embedder behind an HTTP endpoint. One request per call; retrying is the caller's business. */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  return {
    id: options.id,
    dimensions: options.dimensions,
    kind: 'neural',
    batch: options.batch,
    async embed(texts, kind, signal) {
      if (texts.length === 0) return [];
      const vectors = await requestVectors(options, texts, kind, signal);
      if (vectors.some((vector) => vector.length !== options.dimensions))
        throw broken(
          options.name,
          `vectors of ${vectors[0]?.length} instead of ${options.dimensions} dimensions`,
        );
      return vectors;
    },
  };
}

/** Asks once for one text's vector, to learn how long vectors are. @throws LecternError `unavailable` */
export async function probeDimensions(
  options: Omit<HttpEmbedderOptions, 'dimensions'>,
  signal?: AbortSignal,
): Promise<number> {
  const [vector] = await requestVectors(options, ['dimensions'], 'passage', signal);
  return vector?.length ?? 0;
}

async function requestVectors(
  { name, protocol, timeoutMs = 60_000 }: Omit<HttpEmbedderOptions, 'dimensions'>,
  texts: readonly string[],
  kind: EmbedKind,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const limit = AbortSignal.timeout(timeoutMs);
  let answer: unknown;
  try {
    const response = await fetch(protocol.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...protocol.headers },
      body: JSON.stringify(protocol.body(texts, kind)),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: 'error',
    });
    if (!response.ok) throw broken(name, `status ${response.status}`);
    if (Number(response.headers.get('content-length') ?? 0) > MOST_BYTES)
      throw broken(name, 'too long an answer');
    answer = await response.json();
  } catch (error) {
    if (error instanceof LecternError) throw error;
    signal?.throwIfAborted();
    throw new LecternError('unavailable', `${name} did not answer.`, {
      cause: error,
      next: 'Check that it runs and that the address and the model in the configuration are right.',
    });
  }
  const lists = protocol.vectors(answer);
  if (!Array.isArray(lists) || lists.length !== texts.length) throw broken(name, 'another number of vectors');
  return lists.map((list) => {
    if (!Array.isArray(list) || list.length === 0 || !list.every((value) => Number.isFinite(value)))
      throw broken(name, 'something that is no vector');
    return normalise(Float32Array.from(list as number[]));
  });
}

function broken(name: string, what: string): LecternError {
  return new LecternError('unavailable', `${name} answered with ${what}.`, {
    next: 'Check that the configured model makes embeddings.',
  });
}
