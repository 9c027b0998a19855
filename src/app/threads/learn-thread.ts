import { isLecternError, LecternError } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import type { LearnedModel } from '../../search/embed/local-lsa/learn.ts';
import { ThreadCalls } from '../../thread-calls.ts';
import { startWorker } from './worker-port.ts';

export interface LearnWorkerData {
  readonly indexPath: string;
  readonly dialect: Dialect;
  /** From some of these, in this order. */
  readonly notes: readonly number[];
}

/** What the thread can be asked. */
export interface LearnCalls {
  /** Answered once the index is closed again: from then on the thread may be ended. */
  learn(given: undefined): LearnedModel | undefined;
  stop(given: undefined): void;
}

/**
 * Learns the local vector model in a thread of its own, which ends with it: learning takes some hundred
 * megabytes, which come back to the system only so. Aborted, the thread is asked to stop and waited for:
 * one that is terminated inside the database takes the whole process with it.
 * @returns undefined when they have too little text
 * @throws LecternError what kept it from learning, `unavailable` when the thread failed; the signal's reason when it was
 *   aborted
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
