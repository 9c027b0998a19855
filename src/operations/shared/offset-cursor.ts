import { LecternError } from '../../errors.ts';

/** A cursor for lists that are computed completely by every call: the offset, prefixed with a letter of the list. */
export function offsetCursor(letter: string, end: number, total: number): string | null {
  return end < total ? `${letter}${end}` : null;
}

/** @throws LecternError `invalid_input` for a cursor from another list */
export function offsetOf(cursor: string | undefined, letter: string, operation: string): number {
  if (cursor === undefined) return 0;
  const digits = cursor.startsWith(letter) ? cursor.slice(letter.length) : '';
  if (/^\d{1,9}$/.test(digits)) return Number(digits);
  throw new LecternError('invalid_input', `The cursor is not one that ${operation} gave out.`, {
    details: { missing: [], unknown: [], invalid: [{ key: 'cursor', problem: 'unknown cursor' }] },
    next: `Call ${operation} again without cursor.`,
  });
}

/**
 * The page a call requests.
 *
 * @throws LecternError as {@link offsetOf} does
 */
export function offsetPage<Row>(
  all: readonly Row[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  letter: string,
  operation: string,
): { rows: readonly Row[]; total: number; next_cursor: string | null } {
  const start = offsetOf(cursor, letter, operation);
  const end = start + limit;
  return {
    rows: all.slice(start, end),
    total: all.length,
    next_cursor: offsetCursor(letter, end, all.length),
  };
}
