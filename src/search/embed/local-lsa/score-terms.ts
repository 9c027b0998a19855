import type { LsaModel } from './model.ts';

/** What a query asks of a passage's terms: id → weight. */
export type QueryTerms = ReadonlyMap<number, number>;

const K1 = 1.2;
const B = 0.75;

/** Each known term of a query once, weighed by its rarity. */
export function queryTerms({ vocabulary }: LsaModel, query: string): QueryTerms {
  return new Map(Array.from(vocabulary.count(query).ids, (id) => [id, vocabulary.idf(id)] as const));
}

/**
 * BM25 of one passage from its stored terms (see `encodeTerms`), read where they lie: no text is
 * tokenised while a search waits.
 */
export function scoreTerms(model: LsaModel, query: QueryTerms, bytes: Uint8Array): number {
  const matched: number[] = [];
  let length = 0;
  let at = 0;
  let id = -1;
  while (at < bytes.length) {
    let value = 0;
    let byte = 0x80;
    for (let shift = 1; byte >= 0x80 && at < bytes.length; shift *= 128) {
      byte = bytes[at] as number;
      at += 1;
      value += (byte & 0x7f) * shift;
    }
    id += Math.floor(value / 2) + 1;
    let count = 1;
    if (value % 2 === 1) {
      count = 0;
      byte = 0x80;
      for (let shift = 1; byte >= 0x80 && at < bytes.length; shift *= 128) {
        byte = bytes[at] as number;
        at += 1;
        count += (byte & 0x7f) * shift;
      }
    }
    length += count;
    const weight = query.get(id);
    if (weight !== undefined) matched.push(weight, count);
  }
  const norm = K1 * (1 - B + (B * length) / model.averageLength);
  let score = 0;
  for (let i = 0; i < matched.length; i += 2) {
    const count = matched[i + 1] as number;
    score += ((matched[i] as number) * count * (K1 + 1)) / (count + norm);
  }
  return score;
}
