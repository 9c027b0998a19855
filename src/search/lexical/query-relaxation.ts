import type {
  LexicalHit,
  LexicalQuery,
  LexicalTerm,
  ListFilter,
  NoteIndexReader,
  Page,
  PageRequest,
  PathFilter,
} from '../../index/note-index.ts';
import type { Pacer } from '../pacer.ts';
import { optionalTerms } from '../query/optional-terms.ts';
import type { WordMatching } from '../snippet/highlight.ts';
import { fold } from '../text/fold.ts';
import { needle, occurrences, signsIn, wordParts } from '../text/words.ts';
import { type NearWord, nearest, nearWords } from './spelling-correction.ts';

/** Candidates ranked together; a page of hits is cut from one or more windows. */
export const WINDOW = 100;
/** With fewer notes than this holding the words, words that only begin with them count too. */
const FEW = 10;

export interface WordQuery {
  readonly terms: readonly LexicalTerm[];
  /** One of the terms is enough, as typed with `OR`. */
  readonly any: boolean;
  readonly excluded: readonly LexicalTerm[];
  readonly filter: ListFilter;
  readonly visible: PathFilter | undefined;
}

export interface RelaxedQuery {
  readonly query: LexicalQuery;
  readonly first: Page<LexicalHit>;
  readonly matching: WordMatching;
  /** Paths with the words themselves, when `first` also has words that begin with them. */
  readonly whole: ReadonlySet<string>;
  readonly notice: string | undefined;
}

const PLAIN: WordMatching = { prefix: false, corrections: new Map() };
const NONE: ReadonlySet<string> = new Set();
const NOTHING_FOUND =
  'No note has these words. Text inside longer words is found by a pattern such as /text/.';

const PARTIAL = 'No note has all of these words; these are the best partial matches.';
const SOME_WHOLE = 'Few notes have all of these words; notes with some of them are listed as well.';
/** From this many words on a query is a sentence, of which a note need not have every word. */
const SENTENCE_WORDS = 5;

/**
 * Finds the strictest reading of plain words that finds anything: all words as they are (stemmed);
 * words that begin with them; one mistyped word corrected, if that gives notes with all words; notes
 * with some of the words; every word corrected. A sentence that few notes hold as a whole is read as its
 * distinctive words, one of which suffices. Deterministic for one state of the index.
 */
export async function relax(reader: NoteIndexReader, words: WordQuery, pacer: Pacer): Promise<RelaxedQuery> {
  const ask = (
    terms: readonly LexicalTerm[],
    any = words.any,
  ): Promise<{ query: LexicalQuery; first: Page<LexicalHit> }> => askIndex(reader, words, terms, any);
  const exact = await ask(words.terms);
  if (exact.first.total >= FEW) return { ...exact, matching: PLAIN, whole: NONE, notice: undefined };
  if (!words.any && isSentence(words.terms, exact.first.total > 0)) {
    const wide = await ask(optionalTerms(words.terms.map(({ text }) => text).join(' ')), true);
    if (wide.first.total > exact.first.total) {
      const notice = exact.first.total === 0 ? PARTIAL : SOME_WHOLE;
      return { ...wide, matching: PLAIN, whole: NONE, notice };
    }
  }

  const beginnings = words.terms.map(beginning);
  if (beginnings.some((term, index) => term !== words.terms[index])) {
    const begun = await ask(beginnings);
    if (begun.first.total > exact.first.total) {
      const notice =
        exact.first.total === 0
          ? 'No note has exactly these words; words that begin with them were matched.'
          : undefined;
      const whole = new Set(exact.first.items.map((hit) => hit.path));
      return { ...begun, matching: { ...PLAIN, prefix: true }, whole, notice };
    }
  }
  if (exact.first.total > 0 || pacer.expired) {
    return { ...exact, matching: PLAIN, whole: NONE, notice: undefined };
  }
  const corrected = await correct(reader, words, pacer);
  if (corrected && !pacer.expired) {
    const found = await ask(corrected.terms);
    if (found.first.total > 0) {
      return {
        ...found,
        matching: { ...PLAIN, corrections: corrected.words },
        whole: NONE,
        notice: corrected.notice,
      };
    }
  }
  if (words.terms.length > 1 && !words.any && !pacer.expired) {
    const some = await ask(corrected?.terms ?? words.terms, true);
    if (some.first.total > 0) {
      const notice = PARTIAL;
      const matching = { ...PLAIN, corrections: corrected?.words ?? PLAIN.corrections };
      return { ...some, matching, whole: NONE, notice: corrected ? `${notice} ${corrected.notice}` : notice };
    }
  }
  return { ...exact, matching: PLAIN, whole: NONE, notice: NOTHING_FOUND };
}

/** A word as the beginning of one; a phrase, and a name with signs (`C++`, `.NET`), as they are. */
export function beginning(term: LexicalTerm): LexicalTerm {
  return term.phrase || signsIn(term.text) ? term : { ...term, prefix: true };
}

/**
 * Several words, or text without spaces as long. Phrases are meant as they stand, so a query with one is a
 * sentence only when they contain no space (compounds, unspaced scripts) and nothing was found.
 */
function isSentence(terms: readonly LexicalTerm[], found: boolean): boolean {
  if (terms.some(({ text, phrase }) => phrase && (found || /\s/.test(text)))) return false;
  return terms.reduce((sum, { text }) => sum + wordParts(text).length, 0) >= SENTENCE_WORDS;
}

async function askIndex(
  reader: NoteIndexReader,
  words: WordQuery,
  terms: readonly LexicalTerm[],
  any: boolean,
): Promise<{ query: LexicalQuery; first: Page<LexicalHit> }> {
  const query: LexicalQuery = {
    required: any ? [] : terms,
    optional: any ? terms : [],
    excluded: words.excluded,
    filter: words.filter,
  };
  return { query, first: await reader.lexical(query, pageOf(words, WINDOW)) };
}

interface Correction {
  readonly terms: readonly LexicalTerm[];
  readonly words: ReadonlyMap<string, string>;
  readonly notice: string;
}

/** Replaces each word that no visible note has by the nearest word of a visible note. */
async function correct(
  reader: NoteIndexReader,
  words: WordQuery,
  pacer: Pacer,
): Promise<Correction | undefined> {
  const replaced = new Map<string, string>();
  const ask = (term: LexicalTerm): Promise<Page<LexicalHit>> => {
    const query: LexicalQuery = { required: [term], optional: [], excluded: [], filter: words.filter };
    return reader.lexical(query, pageOf(words, 1));
  };
  const terms: LexicalTerm[] = [];
  for (const term of words.terms) {
    let kept = term;
    if (!term.phrase && !term.prefix && !pacer.expired && (await ask(term)).total === 0) {
      let best: { readonly near: NearWord; readonly path: string } | undefined;
      for (const near of await nearWords(reader, term.text, pacer, words.visible)) {
        // Queried with the caller's filter: a word of hidden notes is neither proposed nor preferred to another.
        const { items, total } = await ask({ ...term, text: near.word });
        const [hit] = items;
        const seen = { ...near, notes: total };
        if (hit && (!best || nearest(seen, best.near) < 0)) best = { near: seen, path: hit.path };
        if (best && words.visible === undefined) break;
        if (pacer.due) await pacer.pause();
      }
      if (best) {
        const word = await asWritten(reader, best.path, best.near.word);
        kept = { ...term, text: word };
        replaced.set(term.text, word);
      }
    }
    terms.push(kept);
  }
  if (replaced.size === 0) return undefined;
  const said = [...replaced].map(([typed, word]) => `"${shorten(typed)}" as "${word}"`).join(', ');
  return { terms, words: replaced, notice: `No note has the words as typed; read ${said}.` };
}

/** A stemmed word in the spelling of a note that has it, for the notice. */
async function asWritten(reader: NoteIndexReader, path: string, stemmed: string): Promise<string> {
  const wanted = needle(stemmed);
  const text = fold((await reader.text(path))?.text ?? '');
  const [place] = wanted ? occurrences(text, wanted, 1) : [];
  return place ? text.slice(place.start, place.end) : stemmed;
}

function shorten(word: string): string {
  return word.length > 40 ? `${word.slice(0, 40)}…` : word;
}

function pageOf({ visible }: WordQuery, limit: number): PageRequest {
  return visible ? { limit, visible } : { limit };
}
