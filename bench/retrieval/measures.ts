/** Means over queries of the usual measures, with binary gains. */
export interface Measures {
  readonly queries: number;
  readonly ndcg10: number;
  readonly recall1: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr10: number;
}

/**
 * @param rankings one list of paths per query, best first, no path twice
 * @param relevant beside it, the paths that answer the query
 */
export function measure(
  rankings: readonly (readonly string[])[],
  relevant: readonly ReadonlySet<string>[],
): Measures {
  const sums = { ndcg10: 0, recall1: 0, recall5: 0, recall10: 0, mrr10: 0 };
  rankings.forEach((ranking, at) => {
    const wanted = relevant[at] ?? new Set();
    const gains = ranking.slice(0, 10).map((path) => (wanted.has(path) ? 1 : 0));
    const dcg = gains.reduce((sum: number, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
    let ideal = 0;
    for (let rank = 0; rank < Math.min(10, wanted.size); rank += 1) ideal += 1 / Math.log2(rank + 2);
    const found = (k: number) => gains.slice(0, k).reduce((sum: number, gain) => sum + gain, 0);
    const size = Math.max(1, wanted.size);
    const first = gains.indexOf(1);
    sums.ndcg10 += ideal === 0 ? 0 : dcg / ideal;
    sums.recall1 += found(1) / size;
    sums.recall5 += found(5) / size;
    sums.recall10 += found(10) / size;
    sums.mrr10 += first < 0 ? 0 : 1 / (first + 1);
  });
  const n = Math.max(1, rankings.length);
  return {
    queries: rankings.length,
    ndcg10: sums.ndcg10 / n,
    recall1: sums.recall1 / n,
    recall5: sums.recall5 / n,
    recall10: sums.recall10 / n,
    mrr10: sums.mrr10 / n,
  };
}
