import { STOP_WORDS } from '../../search/query/stop-words.ts';
import { stem } from '../../search/text/porter.ts';
import { isUnsegmented, wordParts } from '../../search/text/words.ts';

/**
 * Frequency of each term of a text: words folded and stemmed, without stop words; in scripts without spaces,
 * pairs of characters.
 */
export type Terms = ReadonlyMap<string, number>;

/** Counts the terms of a text. Words in {@link STOP_WORDS} and single letters are left out. */
export function termsOf(text: string): Terms {
  const terms = new Map<string, number>();
  const add = (term: string) => terms.set(term, (terms.get(term) ?? 0) + 1);
  let before: string | undefined;
  for (const part of wordParts(text)) {
    if (isUnsegmented(part)) {
      if (before !== undefined && !STOP_WORDS.has(before + part)) add(before + part);
      before = part;
      continue;
    }
    before = undefined;
    if (part.length > 1 && !STOP_WORDS.has(part)) add(stem(part));
  }
  return terms;
}

/** Inverse document frequency of a term among the added texts. */
export class Rarity {
  readonly #texts = new Map<string, number>();
  #count = 0;

  add(terms: Terms): void {
    this.#count += 1;
    for (const term of terms.keys()) this.#texts.set(term, (this.#texts.get(term) ?? 0) + 1);
  }

  of(term: string): number {
    return Math.log(1 + this.#count / (1 + (this.#texts.get(term) ?? 0)));
  }
}

/** Weight of each term; the vector has length 1. */
export type Vector = ReadonlyMap<string, number>;

/** The tf-idf vector of a text, normalised to length 1. */
export function vectorOf(terms: Terms, rarity: Rarity): Vector {
  const weights = new Map<string, number>();
  let squares = 0;
  for (const [term, count] of terms) {
    const weight = (1 + Math.log(count)) * rarity.of(term);
    weights.set(term, weight);
    squares += weight * weight;
  }
  const length = Math.sqrt(squares) || 1;
  for (const [term, weight] of weights) weights.set(term, weight / length);
  return weights;
}

/** Cosine of two vectors, 0..1. */
export function nearness(a: Vector, b: Vector): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of few) sum += weight * (many.get(term) ?? 0);
  return Math.min(1, sum);
}
