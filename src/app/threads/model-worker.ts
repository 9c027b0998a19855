import { parentPort, workerData } from 'node:worker_threads';
import { openLocalModel } from '../../search/embed/local-model/open.ts';
import { serveModel } from '../../search/embed/local-model/serve-model.ts';
import type { ModelWorkerData } from './model-thread.ts';

/** The thread of a local embedding model. */
const { folder, name } = workerData as ModelWorkerData;
const port = parentPort;
if (!port) throw new Error('A model runs in a worker thread only.');

serveModel(
  {
    onRequest: (listener) => port.on('message', listener),
    post: (reply, transfer) => port.postMessage(reply, transfer),
  },
  () => openLocalModel(folder, name),
);
