import type { StoreEntry } from '../../stores/store.ts';

/** Notes per transaction: large enough to amortise the commit, small enough to let a write in between. */
export const BATCH = 128;
/** Limit of bytes in memory; a single larger file is still read. */
export const BATCH_BYTES = 4 * 1024 * 1024;

/** Entries in order, in batches limited by count and by bytes; a single larger file forms its own batch. */
export function batchesOf(
  entries: readonly StoreEntry[],
  most: number,
  mostBytes: number,
): readonly StoreEntry[][] {
  const batches: StoreEntry[][] = [];
  let last: StoreEntry[] | undefined;
  let bytes = 0;
  for (const entry of entries) {
    if (last === undefined || last.length === most || bytes + entry.size > mostBytes) {
      last = [];
      bytes = 0;
      batches.push(last);
    }
    last.push(entry);
    if (entry.kind !== 'attachment') bytes += entry.size;
  }
  return batches;
}
