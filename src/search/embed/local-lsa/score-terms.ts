import type { LsaModel } from './model.ts';
import { countWanted } from './terms.ts';

/** What a query asks of a passage: term → weight. */
export type QueryTerms = ReadonlyMap<string, number>;

const K1 = 1.2;
const B = 0.75;

/** Each known term of a query once, weighed by its rarity. */
export function queryTerms({ vocabulary }: LsaModel, query: string): QueryTerms {
  return new Map(
    Array.from(
      vocabulary.count(query).ids,
      (id) => [vocabulary.terms[id] ?? '', vocabulary.idf(id)] as const,
    ),
  );
}

/**
 * How much each passage of one note says about a query: BM25. Only the words that may be of the query are looked at,
 * so that no text is taken apart while a search waits. A term that all passages of the note have,
 * as they have those of its title, tells them apart as little as one that all notes have tells notes apart.
 *
 * @param texts of the passages, as they were embedded
 * @param lengths how many terms the model knows of each
 */
export function scorePassages(
  model: LsaModel,
  query: QueryTerms,
  texts: readonly string[],
  lengths: readonly number[],
): number[] {
  const counted = texts.map((text) => countWanted(text, query));
  const having = new Map<string, number>();
  for (const counts of counted)
    for (const term of counts.keys()) having.set(term, (having.get(term) ?? 0) + 1);
  const inNote = (term: string): number => {
    const n = having.get(term) ?? 0;
    return Math.log(1 + (texts.length - n + 0.5) / (n + 0.5));
  };
  return counted.map((counts, at) => {
    const norm = K1 * (1 - B + (B * (lengths[at] ?? 0)) / model.averageLength);
    let score = 0;
    for (const [term, count] of counts)
      score += ((query.get(term) ?? 0) * inNote(term) * count * (K1 + 1)) / (count + norm);
    return score;
  });
}
