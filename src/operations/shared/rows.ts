import type { Operation } from '../operation.ts';

/** The key of the rows in a list's output; undefined for an operation that is not a list. */
export function rowsKey({ output }: Pick<Operation, 'output'>): string | undefined {
  if (!Object.hasOwn(output.shape, 'next_cursor')) return undefined;
  return Object.keys(output.shape).find((key) => output.shape[key]?.def?.type === 'array');
}
