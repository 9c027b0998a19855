import type { Pacer } from '../pacer.ts';

/**
 * Yields to other work when the time slice is used up. Call it every few dozen rows of a long computation.
 * @throws the pacer's abort reason as an `AbortError` once its time is up or its signal aborted
 */
export async function yieldTurn(pacer: Pacer): Promise<void> {
  if (pacer.expired) throw new DOMException('The embedding work was stopped.', 'AbortError');
  if (pacer.due) await pacer.pause();
}
