import { type Citation, citationOf, type ReadAgain, verify } from './citation.ts';
import type { Claim } from './reply.ts';

/** `required`: what has no support is left out. `preferred`: it is marked. */
export type CiteUse = 'required' | 'preferred';

export interface GroundedSentence {
  readonly text: string;
  /** Numbers of citations, from 1. */
  readonly citations: readonly number[];
  readonly supported: boolean;
}

export interface Grounded {
  readonly sentences: readonly GroundedSentence[];
  readonly citations: readonly Citation[];
  /** Citations that were given and do not stand. */
  readonly dropped: number;
  /** Sentences without support that were left out. */
  readonly withheld: number;
  /** Cited notes that changed while the answer was made. */
  readonly changed: readonly string[];
}

/**
 * Sentences with their proof: every citation is looked up once more in the bytes that are there now, and one that does
 * not stand is dropped.
 */
export async function ground(
  claims: readonly Claim[],
  cite: CiteUse,
  readAgain: ReadAgain,
): Promise<Grounded> {
  const keyOf = ({ path, lineStart, lineEnd, quote }: Citation) =>
    JSON.stringify([path, lineStart, lineEnd, quote]);
  const given = claims.map(({ places }) => places.map(citationOf));
  const distinct = new Map(given.flat().map((citation) => [keyOf(citation), citation]));
  const { standing, dropped, changed } = await verify([...distinct.values()], readAgain);
  const current = new Map(standing.map((citation) => [keyOf(citation), citation]));
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  const sentences: GroundedSentence[] = [];
  let withheld = 0;
  for (const [at, { text }] of claims.entries()) {
    const standingHere = (given[at] ?? []).map(keyOf).filter((key) => current.has(key));
    const supported = standingHere.length > 0;
    if (!supported && cite === 'required') {
      withheld += 1;
      continue;
    }
    for (const key of standingHere) {
      const citation = current.get(key);
      if (numbers.has(key) || citation === undefined) continue;
      citations.push(citation);
      numbers.set(key, citations.length);
    }
    const own = [...new Set(standingHere.map((key) => numbers.get(key) ?? 0))];
    sentences.push({ text, citations: own, supported });
  }
  const unread = claims.reduce((sum, claim) => sum + claim.dropped, 0);
  return { sentences, citations, dropped: unread + dropped.length, withheld, changed };
}
