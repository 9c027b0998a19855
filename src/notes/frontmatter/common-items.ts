import { isDeepStrictEqual } from 'node:util';

/** Limit of comparisons between the equal ends of two lists. */
const MAX_COMPARED = 250_000;

/**
 * A longest common subsequence of two lists, as index pairs. For very long lists that differ in many places
 * only the equal ends are matched.
 */
export function commonItems(
  old: readonly unknown[],
  now: readonly unknown[],
): readonly (readonly [number, number])[] {
  const shortest = Math.min(old.length, now.length);
  let front = 0;
  while (front < shortest && isDeepStrictEqual(old[front], now[front])) front += 1;
  let behind = 0;
  while (behind < shortest - front && isDeepStrictEqual(old.at(-1 - behind), now.at(-1 - behind)))
    behind += 1;

  const matched: (readonly [number, number])[] = [];
  for (let i = 0; i < front; i += 1) matched.push([i, i]);
  const rows = old.length - front - behind;
  const columns = now.length - front - behind;
  if (rows * columns <= MAX_COMPARED) {
    const equal = (i: number, j: number) => isDeepStrictEqual(old[front + i], now[front + j]);
    for (const [i, j] of longest(rows, columns, equal)) matched.push([front + i, front + j]);
  }
  for (let i = behind; i > 0; i -= 1) matched.push([old.length - i, now.length - i]);
  return matched;
}

/** Walks the table of common lengths, kept for the ends of both lists, from the start. */
function longest(
  rows: number,
  columns: number,
  equal: (row: number, column: number) => boolean,
): readonly (readonly [number, number])[] {
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = equal(i, j)
        ? length(i + 1, j + 1) + 1
        : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const matched: (readonly [number, number])[] = [];
  let [i, j] = [0, 0];
  while (i < rows && j < columns) {
    if (equal(i, j)) {
      matched.push([i, j]);
      i += 1;
      j += 1;
    } else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return matched;
}
