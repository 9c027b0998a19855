import { LecternError } from '../../../errors.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { Page } from '../../note-index.ts';

/** The sort values of a page's last row, after which the next page starts. */
export type Position = readonly (string | number)[];

/**
 * Encodes an opaque cursor: base64url of the query's fingerprint and the position. Positions are sort values,
 * not offsets, so rows that are added or removed between pages cause no row to be skipped or repeated.
 */
export function encodeCursor(query: string, position: Position): string {
  return Buffer.from(JSON.stringify([fingerprint(query), ...position])).toString('base64url');
}

/**
 * Makes a page of rows.
 *
 * @param rows up to one more than the limit, which tells whether there is a next page
 * @param positionOf the sort values of a row
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
 * Decodes a cursor.
 *
 * @param shape the types of the position's values
 * @throws LecternError `invalid_input` for anything but a cursor of the same query
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

/** A 32-bit FNV-1a hash that tells queries apart; it is no protection against forgery. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
