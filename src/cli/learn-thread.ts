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
 * megabytes, which come back to the system only so. Aborted, the thread is asked to stop and waited for:
 * one that is terminated inside the database takes the whole process with it.
 * @returns undefined when they have too little text
 * @throws LecternError `unavailable` when the thread failed; the signal's reason when it was aborted
 */
export async function learnInThread(
  workerData: LearnWorkerData,
  signal: AbortSignal,
): Promise<LearnedModel | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl('learn-worker'), { workerData, name: 'lectern-learn' });
  const stop = () => worker.postMessage('stop');
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((resolve, reject) => {
      let learned: LearnedModel | undefined;
      let failure: unknown;
      worker.once('message', (message) => {
        learned = message;
      });
      worker.once('error', (cause) => {
        failure = cause;
      });
      worker.once('exit', () => {
        if (signal.aborted) reject(signal.reason);
        else if (failure === undefined) resolve(learned);
        else reject(cannotLearn(failure));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function cannotLearn(cause: unknown): LecternError {
  return new LecternError('unavailable', 'The vectors could not be learned.', {
    cause,
    next: 'It is tried again in a minute; search lexically until then.',
  });
}
