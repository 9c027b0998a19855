import type { Operation } from '../operations/operation.ts';
import type { CallContext } from './catalogue.ts';

/**
 * What comes from an index that is being built may lack something: what is said of that.
 *
 * @param operations those that a tool runs
 * @returns undefined when nothing is lacking, or none of them asks the index
 */
export async function indexNotice(
  operations: readonly Operation[],
  { vault }: Pick<CallContext, 'vault'>,
): Promise<string | undefined> {
  const asksIndex = operations.some(({ answersFrom }) => answersFrom === 'index');
  return asksIndex ? (await vault()).staleness() : undefined;
}
