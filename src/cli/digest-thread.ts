import { Worker } from 'node:worker_threads';
import type { Dialect } from '../notes/model.ts';
import { type DigestThread, digestThread } from '../vault/indexer/digest-thread.ts';
import { workerUrl } from './worker-url.ts';

export interface DigestWorkerData {
  readonly folder: string;
  readonly dialect: Dialect;
}

/** Starts a thread that reads and digests files of a folder. It does not keep the process alive. */
export function startDigestThread(workerData: DigestWorkerData): DigestThread {
  const worker = new Worker(workerUrl('digest-worker'), {
    workerData,
    name: 'lectern-digest',
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  return digestThread({
    post: (request) => worker.postMessage(request),
    onReply: (listener) => worker.on('message', listener),
    onExit(listener) {
      worker.on('error', listener);
      worker.on('exit', (code) => listener(new Error(`exit code ${code}`)));
    },
    async terminate() {
      await worker.terminate();
    },
  });
}
