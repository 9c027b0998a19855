import { Turn } from '../../turn.ts';
import { type Ranked, rankCentral } from './central.ts';
import type { Sentence } from './sentences.ts';
import { nearness } from './terms.ts';

export interface SummaryLength {
  readonly sentences: number;
  readonly characters: number;
}

/** What is as near as this to a sentence taken before says it again. */
const REPEATS = 0.6;
/** How much nearness to what is taken costs. */
const REDUNDANCY = 0.5;
/** How much it costs that the note has given a sentence already: several notes should have their say. */
const SAME_NOTE = 0.12;

/**
 * The most central sentences, each different from the others, in the order of their notes and of their place in them.
 *
 * @param sentences of one note after the other
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
