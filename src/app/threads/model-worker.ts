import { workerData } from 'node:worker_threads';
import { openLocalModel } from '../../search/embed/local-model/open.ts';
import { serveModel } from '../../search/embed/local-model/serve-model.ts';
import type { ModelWorkerData } from './model-thread.ts';
import { servedPort } from './served-port.ts';

/** The thread of a local embedding model. */
const { folder, name } = workerData as ModelWorkerData;
serveModel(servedPort(), () => openLocalModel(folder, name));
