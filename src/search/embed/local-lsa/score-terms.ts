import type { LsaModel } from './model.ts';

/** What a query asks of a passage's terms: id → weight. */
export type QueryTerms = ReadonlyMap<number, number>;

const K1 = 1.2;
const B = 0.75;

/** Each known term of a query once, weighed by its rarity. */
export function queryTerms({ vocabulary }: LsaModel, query: string): QueryTerms {
  return new Map(Array.from(vocabulary.count(query).ids, (id) => [id, vocabulary.idf(id)] as const));
}

/** Terms of a query in one passage, and all its terms together. */
interface Matched {
  /** By id: how often. */
  readonly counts: ReadonlyMap<number, number>;
  readonly length: number;
}

/**
 * How much each passage of one note says about a query: BM25 from their stored terms (see `encodeTerms`), read
 * where they lie, so that no text is tokenised while a search waits. A term that all passages of the note have,
 * as they have those of its title, tells them apart as little as one that all notes have tells notes apart.
 */
export function scorePassages(model: LsaModel, query: QueryTerms, passages: readonly Uint8Array[]): number[] {
  const matched = passages.map((bytes) => match(query, bytes));
  const having = new Map<number, number>();
  for (const { counts } of matched) for (const id of counts.keys()) having.set(id, (having.get(id) ?? 0) + 1);
  const inNote = (id: number): number => {
    const n = having.get(id) ?? 0;
    return Math.log(1 + (passages.length - n + 0.5) / (n + 0.5));
  };
  return matched.map(({ counts, length }) => {
    const norm = K1 * (1 - B + (B * length) / model.averageLength);
    let score = 0;
    for (const [id, count] of counts)
      score += ((query.get(id) ?? 0) * inNote(id) * count * (K1 + 1)) / (count + norm);
    return score;
  });
}

function match(query: QueryTerms, bytes: Uint8Array): Matched {
  const counts = new Map<number, number>();
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
    if (query.has(id)) counts.set(id, count);
  }
  return { counts, length };
}
