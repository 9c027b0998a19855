import { Worker } from 'node:worker_threads';
import type { Embedder } from '../search/embed/embedder.ts';
import { threadedModel } from '../search/embed/local-model/threaded-model.ts';

export interface ModelWorkerData {
  readonly folder: string;
  readonly name: string | undefined;
}

/** Beside the bundle when built; from the sources the built worker is used too, as threads run JavaScript. */
function workerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts')
    ? new URL('../../dist/model-worker.js', here)
    : new URL(here.includes('/chunks/') ? '../model-worker.js' : './model-worker.js', here);
}

/**
 * Opens the model in a folder in a thread of its own: large vocabularies take seconds to load and a
 * passage some 50 ms to run, and neither may hold up requests.
 * @throws LecternError as `openLocalModel`
 */
export function openModelThread(folder: string, name?: string): Promise<Embedder> {
  const workerData: ModelWorkerData = { folder, name };
  return threadedModel(new Worker(workerUrl(), { workerData, name: 'lectern-model' }));
}
