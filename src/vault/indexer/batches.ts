import type { StoreEntry } from '../../stores/store.ts';

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
