import type { Embedder } from '../../search/embed/embedder.ts';
import { threadedModel } from '../../search/embed/local-model/threaded-model.ts';
import { startWorker } from './worker-port.ts';

export interface ModelWorkerData {
  readonly folder: string;
  readonly name: string | undefined;
}

/**
 * Opens the model in a folder in a thread of its own: large vocabularies take seconds to load and a
 * passage some 50 ms to run, and neither may hold up requests.
 * @throws LecternError as `openLocalModel`
 */
export function openModelThread(folder: string, name?: string): Promise<Embedder> {
  const workerData: ModelWorkerData = { folder, name };
  return threadedModel(startWorker('model-worker', { workerData, name: 'lectern-model' }));
}
