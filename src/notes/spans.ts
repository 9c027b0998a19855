import type { Span } from './model.ts';

/** Sorts spans and merges overlapping and adjacent ones. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  let sorted = true;
  for (let index = 1; index < spans.length; index += 1) {
    if ((spans[index - 1]?.end ?? 0) >= (spans[index]?.start ?? 0)) sorted = false;
  }
  if (sorted) return spans;
  const merged: { start: number; end: number }[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ start: span.start, end: span.end });
  }
  return merged;
}

/** The span of a sorted, disjoint list that contains the offset; undefined when none does. Takes O(log n). */
export function spanAt(spans: readonly Span[], offset: number): Span | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const span = spans[middle];
    if (span === undefined || span.start > offset) high = middle;
    else if (span.end <= offset) low = middle + 1;
    else return span;
  }
  return undefined;
}
