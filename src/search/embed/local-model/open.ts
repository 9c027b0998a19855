import { basename, resolve } from 'node:path';
import type { Embedder } from '../embedder.ts';
import { modelFingerprint } from './fingerprint.ts';
import { inspectModel } from './layout.ts';

/**
 * Opens the embedding model in a folder: a static table in model.safetensors, or a sentence encoder in
 * ONNX form. Nothing is fetched. Loading and running block the calling thread for as long as the model
 * takes, so a server does both in a thread of their own.
 *
 * @param name shown to people and part of the id; the folder's name when left out
 * @throws LecternError `not_found` for no folder, `invalid_input` for no or a broken model,
 *   `too_large`, `unavailable` when it needs a runtime that is not installed
 */
export async function openLocalModel(folder: string, name = basename(resolve(folder))): Promise<Embedder> {
  const layout = await inspectModel(folder);
  const id = `model/${name}@${await modelFingerprint(layout.root, layout.files)}`;
  // Most people use one kind and should not load the other's code.
  if (layout.kind === 'static') {
    const { openStaticModel } = await import('./static-embedder.ts');
    return openStaticModel(id, layout);
  }
  const { openOnnxModel } = await import('./onnx-encoder.ts');
  return openOnnxModel(id, layout);
}
