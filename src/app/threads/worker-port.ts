import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ThreadPort } from '../../vault/thread-port.ts';
import { workerUrl } from './worker-url.ts';

/** Starts a thread of the bundle. It does not keep the process alive. */
export function startWorker<Request, Reply>(
  file: string,
  options: WorkerOptions,
): ThreadPort<Request, Reply> {
  const worker = new Worker(workerUrl(file), options);
  worker.unref();
  return {
    post: (request) => worker.postMessage(request),
    onReply: (listener) => worker.on('message', listener),
    onExit(listener) {
      worker.on('error', listener);
      worker.on('exit', (code) => listener(new Error(`exit code ${code}`)));
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
