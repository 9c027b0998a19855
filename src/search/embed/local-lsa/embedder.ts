import type { Embedder } from '../embedder.ts';
import { foldIn, type LsaModel } from './model.ts';

/** The embedded default: vectors learned from the vault itself. Statistical, not neural; no download, any language. */
export function lsaEmbedder(id: string, model: LsaModel): Embedder {
  return {
    id,
    dimensions: model.dimensions,
    kind: 'statistical',
    batch: 64,
    async embed(texts) {
      return texts.map((text) => foldIn(model, model.vocabulary.count(text)));
    },
  };
}
