import type { Splice } from '../splice.ts';
import type { ValueShape } from './shape.ts';

/**
 * Removes items from a list and nothing else: comments between the others stay.
 *
 * @param kept for each item whether it stays; at least one does
 * @returns undefined when the list's layout only allows rewriting it
 */
export function removeFromFlowOrBlock(
  text: string,
  shape: Pick<ValueShape, 'kind' | 'items'>,
  kept: readonly boolean[],
): readonly Splice[] | undefined {
  if (shape.kind === 'flow-list') return removeFromFlow(shape, kept);
  if (shape.kind !== 'block-list') return undefined;
  const splices: Splice[] = [];
  for (const [i, item] of shape.items.entries()) {
    if (kept[i] === true) continue;
    const lineStart = text.lastIndexOf('\n', item.start - 1) + 1;
    if (dashPrefix(text, item.start) === undefined) return undefined;
    let end = item.end;
    while (end > item.start && /\s/.test(text[end - 1] ?? '')) end -= 1;
    const newline = text.indexOf('\n', end);
    splices.push({ start: lineStart, end: newline < 0 ? text.length : newline + 1, insert: '' });
  }
  return splices;
}

/** The text before the item is removed with it; for the last items, the text after the remaining one. */
function removeFromFlow(shape: Pick<ValueShape, 'items'>, kept: readonly boolean[]): readonly Splice[] {
  const splices: Splice[] = [];
  const lastKept = kept.lastIndexOf(true);
  for (const [i, item] of shape.items.entries()) {
    if (kept[i] === true) continue;
    const next = shape.items[i + 1];
    const previous = shape.items[i - 1];
    if (i < lastKept && next !== undefined) splices.push({ start: item.start, end: next.start, insert: '' });
    else if (previous !== undefined) splices.push({ start: previous.end, end: item.end, insert: '' });
  }
  return splices;
}

/** The text `  - ` before an item that starts on its dash's line; undefined for any other item. */
export function dashPrefix(text: string, itemStart: number): string | undefined {
  const lead = text.slice(text.lastIndexOf('\n', itemStart - 1) + 1, itemStart);
  return /^[ ]*- +$/.test(lead) ? lead : undefined;
}

/** The end offset of the line that contains `from`, before its EOL (LF or CRLF). */
export function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  if (newline < 0) return text.length;
  return newline > from && text[newline - 1] === '\r' ? newline - 1 : newline;
}
