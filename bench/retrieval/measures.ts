import type { CollectionQuery } from './collection.ts';

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
 * @param queries beside it
 */
export function measure(
  rankings: readonly (readonly string[])[],
  queries: readonly Pick<CollectionQuery, 'relevant' | 'knownItem'>[],
): Measures {
  const sums = { ndcg10: 0, recall1: 0, recall5: 0, recall10: 0, mrr10: 0 };
  rankings.forEach((ranking, at) => {
    const { relevant, knownItem } = queries[at] ?? { relevant: new Set<string>() };
    const first = ranking.slice(0, 10).findIndex((path) => relevant.has(path));
    const gains: number[] = ranking
      .slice(0, 10)
      .map((path, rank) => (relevant.has(path) && (!knownItem || rank === first) ? 1 : 0));
    const wanted = knownItem ? 1 : Math.max(1, relevant.size);
    const dcg = gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
    let ideal = 0;
    for (let rank = 0; rank < Math.min(10, wanted); rank += 1) ideal += 1 / Math.log2(rank + 2);
    const recall = (k: number) => gains.slice(0, k).reduce((sum, gain) => sum + gain, 0) / wanted;
    sums.ndcg10 += dcg / ideal;
    sums.recall1 += recall(1);
    sums.recall5 += recall(5);
    sums.recall10 += recall(10);
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
