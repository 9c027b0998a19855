import { isLecternError, LecternError } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import type { LearnedModel } from '../../search/embed/local-lsa/learn.ts';
import { ThreadCalls } from '../../thread-calls.ts';
import { startWorker } from './worker-port.ts';

export interface LearnWorkerData {
  readonly indexPath: string;
  readonly dialect: Dialect;
  /** Ids of the training notes, in order. */
  readonly notes: readonly number[];
}

/** Calls of the thread. */
export interface LearnCalls {
  /** Answered after the index is closed: from then on the thread may be terminated. */
  learn(given: undefined): LearnedModel | undefined;
  stop(given: undefined): void;
}

/**
 * Trains the local vector model in a thread that ends with the training: it takes some hundred megabytes, and
 * only the end of the thread returns them to the system. On abort the thread is asked to stop and awaited,
 * since terminating it inside the database would abort the process.
 * @returns undefined when the notes have too little text
 * @throws LecternError the cause of a failed training, `unavailable` when the thread failed; the signal's
 *   reason on abort
 */
export async function learnInThread(
  workerData: LearnWorkerData,
  signal: AbortSignal,
): Promise<LearnedModel | undefined> {
  signal.throwIfAborted();
  const calls = new ThreadCalls<LearnCalls>(
    startWorker('learn-worker', { workerData, name: 'lectern-learn' }),
  );
  const stop = () => void calls.ask('stop', undefined).catch(() => {}); // It has ended already.
  signal.addEventListener('abort', stop);
  try {
    const learned = await calls.ask('learn', undefined);
    signal.throwIfAborted();
    return learned;
  } catch (error) {
    signal.throwIfAborted();
    throw isLecternError(error) ? error : cannotLearn(error);
  } finally {
    signal.removeEventListener('abort', stop);
    await calls.terminate();
  }
}

function cannotLearn(cause: unknown): LecternError {
  return new LecternError('unavailable', 'The vectors could not be learned.', {
    cause,
    next: 'It is tried again in a minute; search lexically until then.',
  });
}
