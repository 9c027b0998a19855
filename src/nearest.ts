/** Longest word worth comparing; keys have at most 40 characters. */
const MAX_LENGTH = 60;

const MAX_EDITS = 2;

/**
 * The candidate a mistyped word most likely means: at most two edits away (one for short words),
 * or undefined. Ties go to the first.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  if (typed.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = typed.length <= 3 ? 2 : 3;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) > MAX_EDITS) continue;
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance in UTF-16 units. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? left.length;
}
