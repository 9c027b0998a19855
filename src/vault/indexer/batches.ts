import type { StoreEntry } from '../../stores/store.ts';

/** Notes per transaction: large enough to amortise the commit, small enough to let a write in between. */
export const BATCH = 128;
/** Bytes in memory at most, unless a single file is larger. */
export const BATCH_BYTES = 4 * 1024 * 1024;

/** Entries in their order, so many of them and so many bytes in each batch at most, unless a single file is larger. */
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
