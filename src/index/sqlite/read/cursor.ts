import { LecternError } from '../../../errors.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { Page } from '../../note-index.ts';

/** The sort values of a page's last row: where the next page starts. */
export type Position = readonly (string | number)[];

/**
 * An opaque cursor: base64url of the query it belongs to and the position reached. Positions are
 * values, not offsets, so rows that come or go between pages are neither skipped nor repeated.
 */
export function encodeCursor(query: string, position: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(query), ...position])).toString('base64url');
}

/**
 * A page out of the rows that were asked for it: one more than the limit, to know whether there are more.
 *
 * @param positionOf where a row stands in the order of the query
 */
export function pageOfRows<Item>(
  rows: readonly Row[],
  page: { readonly limit: number; readonly query: string; readonly total: number },
  positionOf: (row: Row) => Position,
  items: (rows: readonly Row[]) => readonly Item[],
): Page<Item> {
  const shown = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? shown.at(-1) : undefined;
  return {
    items: items(shown),
    total: page.total,
    nextCursor: last === undefined ? null : encodeCursor(page.query, positionOf(last)),
  };
}

/**
 * @param shape the types the position must have
 * @throws LecternError `invalid_input` for anything but a cursor from an answer to the same query
 */
export function decodeCursor(
  query: string,
  cursor: string,
  shape: readonly ('string' | 'number')[],
): Position {
  const values = parse(cursor);
  if (values === undefined || values.length !== shape.length + 1 || typeof values[0] !== 'string') {
    throw invalid('The cursor is not one that an answer gave.');
  }
  const [owner, ...position] = values;
  if (owner !== fingerprint(query)) throw invalid('The cursor belongs to another query.');
  const fits = position.every((value, index) =>
    shape[index] === 'number' ? Number.isFinite(value) : typeof value === 'string',
  );
  if (!fits) throw invalid('The cursor is not one that an answer gave.');
  return position as Position;
}

function parse(cursor: string): unknown[] | undefined {
  if (cursor.length > 16_384 || !/^[\w-]+$/.test(cursor)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function invalid(message: string): LecternError {
  return new LecternError('invalid_input', message, {
    details: { field: 'cursor' },
    next: 'Repeat the query without a cursor, or pass the next cursor of its last answer unchanged.',
  });
}

/** FNV-1a, 32 bits: tells queries apart, protects nothing. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
