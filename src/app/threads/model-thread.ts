import type { Embedder } from '../../search/embed/embedder.ts';
import { threadedModel } from '../../search/embed/local-model/threaded-model.ts';
import { startWorker } from './worker-port.ts';

export interface ModelWorkerData {
  readonly folder: string;
  readonly name: string | undefined;
}

/**
 * Opens a model's folder in a separate thread: a large vocabulary takes seconds to load and a passage some 50
 * ms to embed, and neither may block requests.
 * @throws LecternError as `openLocalModel`
 */
export function openModelThread(folder: string, name?: string): Promise<Embedder> {
  const workerData: ModelWorkerData = { folder, name };
  return threadedModel(startWorker('model-worker', { workerData, name: 'lectern-model' }));
}
