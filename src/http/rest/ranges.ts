/** The bytes from `start` up to, and without, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a file that the header Range asks for (RFC 9110 §14). Several ranges, another unit and what is not
 * understood are answered with the whole file, as is a part of another version than If-Range names.
 *
 * @param tag the file's entity tag, in quotes
 * @returns undefined for the whole file; `unsatisfiable` when it has none of the bytes
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
