import { CHUNKER_VERSION } from './chunks.ts';
import type { Embedder } from './embedder.ts';

/**
 * Ids of models as the index keeps them. They name the chunker too: passages cut otherwise are other
 * passages, whatever embeds them.
 */
const LOCAL = 'local-lsa';

/** Raised when term counting or weighting changes, so that stored models are learned again. */
const LSA_VERSION = 2;

export function localModelId(generation: number): string {
  return `${LOCAL}/${LSA_VERSION}.${CHUNKER_VERSION}/${generation}`;
}

/** The generation of a local model of this version; undefined for any other model. */
export function localGeneration(id: string): number | undefined {
  const prefix = localModelId(0).slice(0, -1);
  const generation = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : Number.NaN;
  return Number.isSafeInteger(generation) ? generation : undefined;
}

export function neuralModelId(embedder: Pick<Embedder, 'id'>): string {
  return `${embedder.id}/c${CHUNKER_VERSION}`;
}
