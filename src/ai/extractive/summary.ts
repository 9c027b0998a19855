import { Turn } from '../../turn.ts';
import { type Ranked, rankCentral } from './central.ts';
import type { Sentence } from './sentences.ts';
import { nearness } from './terms.ts';

export interface SummaryLength {
  readonly sentences: number;
  readonly characters: number;
}

/** A sentence with this cosine to a chosen one is a repetition. */
const REPEATS = 0.6;
/** Penalty for similarity to the chosen sentences. */
const REDUNDANCY = 0.5;
/** Penalty for a further sentence of the same note, so that several notes are represented. */
const SAME_NOTE = 0.12;

/**
 * Selects the most central sentences that differ from each other (maximal marginal relevance, Carbonell and
 * Goldstein 1998), in their given order.
 *
 * @param sentences grouped by note
 */
export async function summarySentences(
  sentences: readonly Sentence[],
  { sentences: most, characters }: SummaryLength,
  turn: Turn = new Turn(),
): Promise<readonly Sentence[]> {
  const ranked = await rankCentral(sentences, turn);
  const left = new Set(ranked);
  const taken: Ranked[] = [];
  let room = characters;
  const perNote = new Map<string, number>();
  while (taken.length < most && left.size > 0) {
    await turn.mine();
    let best: { one: Ranked; worth: number } | undefined;
    for (const one of left) {
      const size = one.sentence.end - one.sentence.start;
      const near = taken.reduce((most, { vector }) => Math.max(most, nearness(vector, one.vector)), 0);
      if (size > room || near >= REPEATS) {
        left.delete(one);
        continue;
      }
      const given = perNote.get(one.sentence.source.path) ?? 0;
      const worth = one.score - REDUNDANCY * near - SAME_NOTE * given;
      if (best === undefined || worth > best.worth) best = { one, worth };
    }
    if (best === undefined) break;
    const { one } = best;
    left.delete(one);
    taken.push(one);
    room -= one.sentence.end - one.sentence.start;
    const { path } = one.sentence.source;
    perNote.set(path, (perNote.get(path) ?? 0) + 1);
  }
  const order = new Map(sentences.map((sentence, at) => [sentence, at]));
  return taken.map(({ sentence }) => sentence).sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}
