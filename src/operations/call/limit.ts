import { CALL_GRACE_MS, CALL_MS } from '../../budgets.ts';
import { isLecternError, LecternError } from '../../errors.ts';
import type { Operation } from '../operation.ts';

type Limited = Pick<Operation, 'name' | 'effects' | 'limitMs'>;

/**
 * Runs a call with a time limit. When the time is up, or the caller cancels, the work is stopped by its
 * signal. A write that has begun by then is completed, and its answer is awaited a little longer.
 *
 * @throws LecternError `timeout`; the reason of `outer` when that was aborted
 */
export async function inTime<T>(
  operation: Limited,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  limitMs = operation.limitMs ?? CALL_MS,
): Promise<T> {
  outer.throwIfAborted();
  const ending = new AbortController();
  const cancel = () => ending.abort(outer.reason);
  outer.addEventListener('abort', cancel, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    if (limitMs === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(() => {
      ending.abort(tooSlow(operation, limitMs, NOTHING_CHANGED));
      timer = setTimeout(() => reject(tooSlow(operation, limitMs, PERHAPS_CHANGED)), CALL_GRACE_MS);
    }, limitMs);
  });
  try {
    return await Promise.race([work(ending.signal), late]);
  } catch (error) {
    // Interrupted work may throw an error of its own.
    if (ending.signal.aborted && !isLecternError(error)) throw ending.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', cancel);
  }
}

const ASK_FOR_LESS = 'Ask for less: a smaller limit, a folder, one section.';
const NOTHING_CHANGED = 'Nothing was changed. Ask for less at once: one note, one folder, fewer ops.';
const PERHAPS_CHANGED =
  'It may still be carried out: look with note_history or note_read before you call it again.';

function tooSlow({ name, effects }: Limited, limitMs: number, next: string): LecternError {
  return new LecternError('timeout', `${name} was not done within ${limitMs / 1000} s.`, {
    details: { limit_ms: limitMs },
    next: effects === 'reads' ? ASK_FOR_LESS : next,
  });
}
