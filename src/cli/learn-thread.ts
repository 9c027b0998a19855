import { Worker } from 'node:worker_threads';
import { LecternError } from '../errors.ts';
import type { Dialect } from '../notes/model.ts';
import type { LearnedModel } from '../search/embed/local-lsa/learn.ts';
import { workerUrl } from './worker-url.ts';

export interface LearnWorkerData {
  readonly indexPath: string;
  readonly dialect: Dialect;
  /** From some of these, in this order. */
  readonly notes: readonly number[];
}

/**
 * Learns the local vector model in a thread of its own, which ends with it: learning takes some hundred
 * megabytes, which come back to the system only so.
 * @returns undefined when they have too little text
 * @throws LecternError `unavailable` when the thread failed; the signal's reason when it was aborted
 */
export async function learnInThread(
  workerData: LearnWorkerData,
  signal: AbortSignal,
): Promise<LearnedModel | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl('learn-worker'), { workerData, name: 'lectern-learn' });
  let stop = () => {};
  try {
    return await new Promise((resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop);
      const failed = (cause: unknown) =>
        reject(
          new LecternError('unavailable', 'The vectors could not be learned.', {
            cause,
            next: 'It is tried again in a minute; search lexically until then.',
          }),
        );
      worker.once('message', resolve);
      worker.once('error', failed);
      worker.once('exit', (code) => failed(new Error(`exit code ${code}`)));
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
