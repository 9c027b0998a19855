import type { LexicalTerm } from '../../index/note-index.ts';
import type { LsaModel } from '../embed/local-lsa/model.ts';
import { eachTerm } from '../embed/local-lsa/terms.ts';
import { STOP_WORDS } from './stop-words.ts';

/** More words than this say no more, and each costs a walk over its notes. */
const MOST_TERMS = 24;
/** A word in more than this share of the passages does not distinguish notes. */
const COMMON = 0.35;

/**
 * A query as terms of which one suffices, for rankings that weigh all of them: without stop words, compounds
 * by their parts, and text without spaces as pairs of neighbouring characters, since its word boundaries are unknown.
 * @param model knows which words are common in this vault; without it, stop words alone are left out
 */
export function optionalTerms(query: string, model?: LsaModel): LexicalTerm[] {
  const terms = new Map<string, { term: LexicalTerm; idf: number }>();
  eachTerm(query, (stem, written, pair) => {
    const id = model?.vocabulary.id(stem);
    const idf = id === undefined ? Number.POSITIVE_INFINITY : (model?.vocabulary.idf(id) ?? 0);
    terms.set(written, { term: { text: written, phrase: pair, prefix: false }, idf });
  });
  const common = Math.log(1 + (1 - COMMON) / COMMON);
  const all = [...terms.values()].sort((a, b) => (a.idf === b.idf ? 0 : b.idf - a.idf));
  const telling = all.filter(({ term, idf }) => idf >= common && !STOP_WORDS.has(term.text));
  return (telling.length > 0 ? telling : all).slice(0, MOST_TERMS).map(({ term }) => term);
}
