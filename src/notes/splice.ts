/**
 * Replaces `[start, end)` of a text by `insert`. Offsets are UTF-16 code units of the text before all edits.
 */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/**
 * Applies disjoint splices, given in any order; insertions at the same offset keep their order.
 *
 * @throws RangeError when splices overlap
 */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const sorted = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const { start, end, insert } of sorted) {
    if (start < at) throw new RangeError(`Splices overlap at offset ${start}.`);
    result += text.slice(at, start) + insert;
    at = end;
  }
  return result + text.slice(at);
}
