import type { Operation } from '../operations/operation.ts';
import { isAwayNotice } from '../operations/shared/fields.ts';
import type { CallContext } from './catalogue.ts';

/**
 * The notice that an answer may be incomplete because the index is being built or the server of the notes
 * does not answer.
 *
 * @param operations operations that a tool runs
 * @returns undefined when the answer is complete, or none of the operations uses the index
 */
export async function indexNotice(
  operations: readonly Operation[],
  { vault }: Pick<CallContext, 'vault'>,
): Promise<string | undefined> {
  const staleness = (await vault()).staleness();
  const asksIndex = operations.some(({ answersFrom }) => answersFrom === 'index');
  return asksIndex || isAwayNotice(staleness) ? staleness : undefined;
}
