import type { Operation } from '../operation.ts';

/** The key under which a list answers its rows; undefined for an operation that is no list. */
export function rowsKey({ output }: Pick<Operation, 'output'>): string | undefined {
  if (!Object.hasOwn(output.shape, 'next_cursor')) return undefined;
  return Object.keys(output.shape).find((key) => output.shape[key]?.def?.type === 'array');
}
