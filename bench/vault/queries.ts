import type { Random } from '../support/random.ts';
import type { Language } from './words.ts';

/**
 * Questions to a generated vault as agents type them: one to four words, most of them of one topic,
 * some with a common word between.
 */
export function keywordQueries(random: Random, language: Language, count: number): string[] {
  return Array.from({ length: count }, () => {
    const topic = random.pick(language.topics);
    const words = Array.from({ length: random.between(1, 3) }, () => language.topical(random, topic));
    if (random.chance(0.25)) words.push(language.common(random));
    return words.join(' ');
  });
}
