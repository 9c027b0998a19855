import { LecternError } from '../errors.ts';

/** Where the next page begins. */
export interface SearchCursor {
  /** The index's own cursor of the current window of candidates, or '' for the first. */
  readonly window: string;
  /** Hits of that window already given. */
  readonly offset: number;
  /** When the first page was ranked, ms since the epoch, so that recency ranks every page alike. */
  readonly time: number;
}

const MAX_CURSOR = 4000;
const MAX_PAGE = 50;

/** Hits on one page: as many as were asked for, from 1 to 50. */
export function pageSize(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE);
}

/**
 * Opaque to callers.
 * @param key identifies the request; hashed here, since a query may be long
 */
export function encodeCursor(cursor: SearchCursor, key: readonly unknown[]): string {
  const parts = [1, keyHash(key), cursor.time, cursor.offset, cursor.window];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws LecternError `invalid_input` when it is damaged or belongs to another search */
export function decodeCursor(text: string, key: readonly unknown[]): SearchCursor {
  const parts = text.length <= MAX_CURSOR ? parse(text) : undefined;
  if (!Array.isArray(parts) || parts.length !== 5) throw invalid('The cursor cannot be read.');
  const [version, hash, time, offset, window] = parts as unknown[];
  if (version !== 1 || !isCount(time) || !isCount(offset) || typeof window !== 'string') {
    throw invalid('The cursor cannot be read.');
  }
  if (hash !== keyHash(key)) throw invalid('The cursor belongs to another search.');
  return { window, offset, time };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function invalid(message: string): LecternError {
  return new LecternError('invalid_input', message, {
    next: 'Repeat the search without a cursor, then use the cursor of that answer with the same query and filters.',
  });
}

/** FNV-1a, 32 bits: distinguishes searches; not a secret. */
function keyHash(key: readonly unknown[]): number {
  const text = JSON.stringify(key);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
