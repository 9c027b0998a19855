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
  const ids = Int32Array.from(query.keys()).sort();
  const matched = passages.map((bytes) => match(ids, bytes));
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

/** @param ids of the query's terms, ascending, as those of a passage are: they are met in one walk */
function match(ids: Int32Array, bytes: Uint8Array): Matched {
  const counts = new Map<number, number>();
  let length = 0;
  let at = 0;
  let id = -1;
  let next = 0;
  while (at < bytes.length) {
    // Nearly every number is one byte long.
    let value = bytes[at] as number;
    at += 1;
    if (value >= 0x80) {
      const long = longNumber(bytes, at, value);
      value = long.value;
      at = long.end;
    }
    id += (value >>> 1) + 1;
    let count = 1;
    if ((value & 1) === 1) {
      count = bytes[at] ?? 0;
      at += 1;
      if (count >= 0x80) {
        const long = longNumber(bytes, at, count);
        count = long.value;
        at = long.end;
      }
    }
    length += count;
    while (next < ids.length && (ids[next] as number) < id) next += 1;
    if (ids[next] === id) counts.set(id, count);
  }
  return { counts, length };
}

/** The rest of a number whose first byte says that another follows: seven bits each, lowest first. */
function longNumber(bytes: Uint8Array, from: number, first: number): { value: number; end: number } {
  let value = first & 0x7f;
  let byte = 0x80;
  let at = from;
  for (let shift = 128; byte >= 0x80 && at < bytes.length; shift *= 128) {
    byte = bytes[at] as number;
    at += 1;
    value += (byte & 0x7f) * shift;
  }
  return { value, end: at };
}
