/** The bytes from `start` up to, and without, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range of a file that the header Range requests (RFC 9110 §14). Several ranges, another unit and a
 * malformed header are answered with the whole file, and so is a range of another version than If-Range
 * names.
 *
 * @param tag the file's entity tag, in quotes
 * @returns undefined for the whole file; `unsatisfiable` when it contains none of the bytes
 */
export function requestedRange(
  headers: Headers,
  tag: string,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.get('range') ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const ifRange = headers.get('if-range');
  if (ifRange !== null && ifRange.trim() !== tag) return undefined;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(Number(to) + 1, size);
  return start < end ? { start, end } : 'unsatisfiable';
}
