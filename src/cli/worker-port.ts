import { Worker, type WorkerOptions } from 'node:worker_threads';
import { workerUrl } from './worker-url.ts';

/** A thread as those who talk to it see it. */
export interface WorkerPort<Request, Reply> {
  post(request: Request): void;
  onReply(listener: (reply: Reply) => void): void;
  /** Told when the thread failed, and when it ended. */
  onExit(listener: (error: Error) => void): void;
  terminate(): Promise<void>;
}

/** Starts a thread of the bundle. It does not keep the process alive. */
export function startWorker<Request, Reply>(
  file: string,
  options: WorkerOptions,
): WorkerPort<Request, Reply> {
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
