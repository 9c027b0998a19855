import type { StoreEntry } from '../../stores/store.ts';

/** What the index holds of a file. */
export interface Known {
  readonly version: string;
  readonly etag: string | undefined;
}

export interface ReconcilePlan {
  /**
   * New, or with another change token: must be read and hashed. Newest first, because questions are mostly
   * about recent notes.
   */
  readonly changed: readonly StoreEntry[];
  readonly removed: readonly string[];
}

/** True when `path` is `prefix` or lies below it; everything lies below ''. */
export function isBelow(path: string, prefix: string): boolean {
  return prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
}

/** A note that could not be read is tried again: the cause may be gone, and if not it is reported after every start. */
function isUnread(known: Known, { kind }: StoreEntry): boolean {
  return known.etag === undefined && kind !== 'attachment';
}

/**
 * Compares the known files with a new listing of `prefix`. Change tokens decide what to read; the caller
 * decides by the hash of the bytes what to parse.
 */
export function planReconcile(
  known: ReadonlyMap<string, Known>,
  entries: readonly StoreEntry[],
  prefix: string,
): ReconcilePlan {
  const listed = new Set<string>();
  const changed: StoreEntry[] = [];
  for (const entry of entries) {
    listed.add(entry.path);
    const held = known.get(entry.path);
    if (held?.version !== entry.version || isUnread(held, entry)) changed.push(entry);
  }
  const removed = [...known.keys()].filter((path) => isBelow(path, prefix) && !listed.has(path));
  return { changed: changed.sort((a, b) => b.mtimeMs - a.mtimeMs), removed };
}
