import { eachTerm } from './terms.ts';

/** How often each known term stands in a passage: ids rising, counts beside them. */
export interface TermCounts {
  readonly ids: Uint32Array;
  readonly counts: Uint16Array;
}

/** Terms with an id each, and in how many passages of the training sample they stand. */
export class Vocabulary {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #idf: Float32Array;

  /**
   * @param terms commonest first, so that frequent terms get small ids (which store shorter)
   * @param frequencies passages with the term, beside `terms`
   * @param passages passages counted
   * @param ids the place of each term in `terms`
   */
  constructor(
    readonly terms: readonly string[],
    readonly frequencies: Uint32Array,
    readonly passages: number,
    ids: ReadonlyMap<string, number> = new Map(terms.map((term, id) => [term, id])),
  ) {
    this.#ids = ids;
    // BM25's inverse document frequency, never negative.
    this.#idf = new Float32Array(frequencies).map((n) => Math.log(1 + (passages - n + 0.5) / (n + 0.5)));
  }

  get size(): number {
    return this.terms.length;
  }

  id(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** 0 for an unknown id. */
  idf(id: number): number {
    return this.#idf[id] ?? 0;
  }

  /** How many terms of a text are known, repetitions included. */
  length(text: string): number {
    let known = 0;
    eachTerm(text, (term) => {
      if (this.#ids.has(term)) known += 1;
    });
    return known;
  }

  /** Unknown terms are left out: the lexical index still finds them. */
  count(text: string): TermCounts {
    const counted = new Map<number, number>();
    eachTerm(text, (term) => {
      const id = this.#ids.get(term);
      if (id !== undefined) counted.set(id, (counted.get(id) ?? 0) + 1);
    });
    const ids = Uint32Array.from(counted.keys()).sort();
    const counts = new Uint16Array(ids.length);
    for (let i = 0; i < ids.length; i += 1) counts[i] = Math.min(counted.get(ids[i] as number) ?? 0, 0xffff);
    return { ids, counts };
  }
}

/** Counts in how many passages each term stands, one passage at a time. */
export class VocabularyBuilder {
  readonly #frequencies = new Map<string, number>();
  #passages = 0;

  add(text: string): void {
    const seen = new Set<string>();
    eachTerm(text, (term) => seen.add(term));
    for (const term of seen) this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1);
    this.#passages += 1;
  }

  /** @param limit most terms kept, the commonest ones; a term of one passage relates it to no other and is left out */
  build(limit: number): Vocabulary {
    // By frequency into buckets: comparing hundreds of thousands of terms would hold the thread for long.
    const buckets = new Map<number, string[]>();
    for (const [term, frequency] of this.#frequencies) {
      if (frequency < 2) continue;
      const bucket = buckets.get(frequency);
      if (bucket) bucket.push(term);
      else buckets.set(frequency, [term]);
    }
    const terms: string[] = [];
    const frequencies: number[] = [];
    for (const [frequency, bucket] of [...buckets].sort(([a], [b]) => b - a)) {
      for (const term of bucket.slice(0, limit - terms.length)) {
        terms.push(term);
        frequencies.push(frequency);
      }
    }
    return new Vocabulary(terms, Uint32Array.from(frequencies), this.#passages);
  }
}
