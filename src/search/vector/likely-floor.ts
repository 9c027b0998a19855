/** Every sixteenth row is sampled. */
const SAMPLED = 16;
/** So many more of the sample are taken than its share, that few of the scores wanted lie below. */
const MARGIN = 8;

/**
 * A score that probably at least `limit` rows reach and not many more, from a sample of them. To keep the highest
 * in order from the first row on moves hundreds about that do not stay.
 *
 * @param owners rows of owner 0 do not count
 * @returns the lowest number when the sample is too small for an estimate
 */
export function likelyFloor(scores: Float32Array, owners: Int32Array, limit: number): number {
  const wanted = Math.ceil(limit / SAMPLED) + MARGIN;
  /** Highest first. */
  const kept = new Float32Array(wanted);
  let size = 0;
  let floor = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < scores.length; row += SAMPLED) {
    const score = scores[row] as number;
    if (score <= floor || owners[row] === 0) continue;
    if (size < wanted) size += 1;
    let at = size - 1;
    for (; at > 0 && (kept[at - 1] as number) < score; at -= 1) kept[at] = kept[at - 1] as number;
    kept[at] = score;
    if (size === wanted) floor = kept[wanted - 1] as number;
  }
  return floor;
}
