import type { Operation } from '../operations/operation.ts';
import { isAwayNotice } from '../operations/shared/fields.ts';
import type { CallContext } from './catalogue.ts';

/**
 * What comes from an index that is being built may lack something, as may all while the server of the notes is away: what
 * is said of that.
 *
 * @param operations those that a tool runs
 * @returns undefined when nothing is lacking, or none of them asks the index
 */
export async function indexNotice(
  operations: readonly Operation[],
  { vault }: Pick<CallContext, 'vault'>,
): Promise<string | undefined> {
  const staleness = (await vault()).staleness();
  const asksIndex = operations.some(({ answersFrom }) => answersFrom === 'index');
  return asksIndex || isAwayNotice(staleness) ? staleness : undefined;
}
