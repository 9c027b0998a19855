import { LecternError } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import type { LearnedModel } from '../../search/embed/local-lsa/learn.ts';
import { startWorker } from './worker-port.ts';

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
  const thread = startWorker<'stop', LearnedModel | undefined>('learn-worker', {
    workerData,
    name: 'lectern-learn',
  });
  const stop = () => thread.post('stop');
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((resolve, reject) => {
      let reply: { readonly learned: LearnedModel | undefined } | undefined;
      thread.onReply((learned) => {
        reply = { learned };
      });
      thread.onExit((error) => {
        if (signal.aborted) reject(signal.reason);
        else if (reply !== undefined) resolve(reply.learned);
        else reject(cannotLearn(error));
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
