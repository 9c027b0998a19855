import type { Pacer } from '../pacer.ts';

/**
 * Gives other work its turn when the slice is used up. Call it every few dozen rows of a long computation.
 * @throws the pacer's abort reason as an `AbortError` once its time is up or its signal aborted
 */
export async function turn(pacer: Pacer): Promise<void> {
  if (pacer.expired) throw new DOMException('The embedding work was stopped.', 'AbortError');
  if (pacer.due) await pacer.pause();
}
