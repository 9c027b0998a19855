import { type Citation, citationOf, type ReadAgain, verify } from './citation.ts';
import type { Claim } from './reply.ts';

/** `required` = unsupported sentences are left out; `preferred` = they are marked. */
export type CiteUse = 'required' | 'preferred';

export interface GroundedSentence {
  readonly text: string;
  /** Numbers of citations, 1-based. */
  readonly citations: readonly number[];
  readonly supported: boolean;
}

export interface Grounded {
  readonly sentences: readonly GroundedSentence[];
  readonly citations: readonly Citation[];
  /** Number of citations that were given but could not be verified. */
  readonly dropped: number;
  /** Number of unsupported sentences that were left out. */
  readonly withheld: number;
  /** Paths of cited notes that changed while the answer was made. */
  readonly changed: readonly string[];
}

/**
 * Verifies the citations of each sentence against the current text of the notes and drops those that fail.
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
