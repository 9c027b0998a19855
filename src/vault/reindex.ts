import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../errors.ts';
import type { Access } from './access.ts';
import type { IndexState } from './session.ts';

const POLL_MS = 50;

export type IndexProgress = (done: number, total: number) => void;

/**
 * Progress of the index as a caller may see it. Counts reveal how many files exist, so a caller that does not
 * see all files gets percentages (also for an empty vault) and no problems of single files.
 */
export function toldState(access: Access, state: IndexState): IndexState {
  if (access.filter === undefined) return state;
  const { done, total } = state;
  const share = state.state === 'ready' ? 1 : total === 0 ? 0 : done / total;
  return { state: state.state, done: Math.floor(100 * share), total: 100, message: undefined };
}

/**
 * Reads and parses every file again; resolves when the index has caught up.
 *
 * @throws LecternError `unavailable` when indexing fails; the abort reason when the caller cancels
 */
export async function reindex(
  indexer: { rebuild(): Promise<void>; state(): IndexState },
  progress: IndexProgress,
  signal: AbortSignal,
): Promise<void> {
  await indexer.rebuild();
  await followIndex(() => indexer.state(), progress, signal);
}

/** Reports progress until the index is ready. */
export async function followIndex(
  state: () => IndexState,
  progress: IndexProgress,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { state: phase, done, total, message } = state();
    if (phase === 'ready') return progress(total, total);
    if (phase === 'failed') {
      throw new LecternError('unavailable', message ?? 'The index cannot be built.', {
        next: 'Look at the log on stderr; reading and writing notes still works.',
      });
    }
    if (total > 0) progress(done, total);
    await delay(POLL_MS, undefined, { signal });
  }
}
