import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ThreadPort } from '../../thread-calls.ts';
import { threadEnvironment } from '../compile-cache.ts';
import { workerUrl } from './worker-url.ts';

/** Starts a thread from the bundle. It does not keep the process running. */
export function startWorker<Request, Reply>(
  file: string,
  options: WorkerOptions,
): ThreadPort<Request, Reply> {
  const worker = new Worker(workerUrl(file), { env: threadEnvironment(), ...options });
  worker.unref();
  return {
    post: (request, transfer = []) => worker.postMessage(request, transfer),
    onReply: (listener) => worker.on('message', listener),
    onExit(listener) {
      worker.on('error', listener);
      worker.on('exit', (code) => listener(new Error(`exit code ${code}`)));
    },
    keepAlive: (yes) => (yes ? worker.ref() : worker.unref()),
    async terminate() {
      await worker.terminate();
    },
  };
}
