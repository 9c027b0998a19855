import type { EmbeddedSource } from '../../index/vector-index.ts';
import type { LsaModel } from '../embed/local-lsa/model.ts';
import { queryTerms, scorePassages } from '../embed/local-lsa/score-terms.ts';
import { embeddedTexts } from '../embed/passages.ts';

/**
 * Which passage of a note is shown. The vector alone names a passage about the subject; the words of the
 * query, counted in each passage as it was embedded, identify the one that answers. Done for the hits of a
 * page only: for the ranking it measured no gain over the note's own lexical score.
 * @param meanings each passage's cosine with the query
 * @param source without passages, or when they belong to another version of the text, the cosine alone decides
 */
export type ShowPassage = (
  meanings: readonly number[],
  source: Pick<EmbeddedSource, 'path' | 'title' | 'text' | 'passages' | 'lengths'>,
) => { readonly seq: number; readonly meaning: number } | undefined;

export function shownPassage(model: LsaModel | undefined, query: string): ShowPassage {
  const wanted = model && queryTerms(model, query);
  return (meanings, source) => {
    const { passages, lengths } = source;
    const isCounted = passages.length === meanings.length && lengths.length === meanings.length;
    const words =
      model && wanted && isCounted
        ? scorePassages(model, wanted, embeddedTexts(source, passages), lengths)
        : [];
    // Both parts weigh the same, each against its own best in the note.
    const mostWords = Math.max(0, ...words) || 1;
    const mostMeaning = Math.max(0, ...meanings) || 1;
    let best: { seq: number; meaning: number } | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    meanings.forEach((meaning, seq) => {
      const score = (words[seq] ?? 0) / mostWords + meaning / mostMeaning;
      if (score <= highest) return;
      highest = score;
      best = { seq, meaning };
    });
    return best;
  };
}
