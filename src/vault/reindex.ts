import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../errors.ts';
import type { IndexerClient } from './indexer/client.ts';

const POLL_MS = 50;

export type IndexProgress = (done: number, total: number) => void;

/** How far something is, without telling how many files there are. */
export function inPerCent(done: number, total: number): { done: number; total: number } {
  return total === 0 ? { done: 0, total: 0 } : { done: Math.floor((100 * done) / total), total: 100 };
}

/**
 * Reads and parses every file again; resolves when the index has caught up.
 *
 * @throws LecternError `unavailable` when the indexer gives up; the abort reason when the caller does
 */
export async function reindex(
  indexer: Pick<IndexerClient, 'rebuild' | 'state'>,
  progress: IndexProgress,
  signal: AbortSignal,
): Promise<void> {
  await indexer.rebuild();
  await followIndex(() => indexer.state, progress, signal);
}

/** Reports how far the index is until it is ready. */
export async function followIndex(
  state: () => IndexerClient['state'],
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
