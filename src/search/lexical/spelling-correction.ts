import { type NoteIndexReader, type PathFilter, viewOf } from '../../index/note-index.ts';
import type { Pacer } from '../pacer.ts';
import { stem } from '../text/porter.ts';
import { isUnsegmented, wordParts } from '../text/words.ts';

const VOCABULARY_LIMIT = 20_000;
const TITLE_PAGES = 40;
/** Endings the index's stemmer may have taken off the word that was meant. */
const ENDING =
  /^(?:|e|s|es|ed|ing|ings|er|ers|ic|ical|ate|ates|ated|icate|ation|ations|ion|ions|ment|ments|ness|ly|able|ance|ence|al|ally|ity|ities|ive|ize|izes|ized)$/;
/** Shorter words have too many neighbours to guess among. */
const MIN_LENGTH = 4;

/** A word that may have been meant. */
export interface NearWord {
  readonly word: string;
  readonly distance: number;
  /** In the whole vault, independent of the caller. */
  readonly notes: number;
}

const MOST_NEAR = 50;
/** Words returned for a caller with a filter: words of hidden notes must not displace others. */
const ALL_WORDS = 200_000;

/**
 * Words of the vault near a mistyped one, as the index keeps them (stemmed): one edit away (two from eight
 * letters on; a swap of neighbours is one). The first letter is taken as right, unless only titles can be asked.
 * Best first, see {@link nearest}.
 */
export async function nearWords(
  reader: NoteIndexReader,
  word: string,
  pacer: Pacer,
  visible?: PathFilter,
): Promise<NearWord[]> {
  const isPartial = viewOf(visible) !== undefined;
  const [part, ...more] = wordParts(word);
  if (part === undefined || more.length > 0 || part.length < MIN_LENGTH || part.length > 40) return [];
  if (isUnsegmented(part) || /\d/.test(part)) return [];
  const known = reader.vocabulary
    ? await reader.vocabulary(part.slice(0, 1), isPartial ? ALL_WORDS : VOCABULARY_LIMIT)
    : await titleWords(reader, pacer, visible);
  const wanted = stem(part);
  const allowed = part.length >= 8 ? 2 : 1;
  const near: NearWord[] = [];
  for (const candidate of known) {
    if (pacer.due) await pacer.pause();
    if (candidate.word === wanted || candidate.word === part || candidate.word.length < 3) continue;
    const distance = editDistance(part, candidate.word, allowed);
    if (distance > allowed) continue;
    near.push({ ...candidate, distance });
  }
  // Their final order depends on the caller's visible notes.
  return near.sort(nearest).slice(0, isPartial ? near.length : MOST_NEAR);
}

/** A word in many notes may win over a nearer one that hardly occurs. */
export function nearest(a: NearWord, b: NearWord): number {
  const cost = ({ distance, notes }: NearWord): number => 2 * distance - Math.log10(1 + notes);
  return cost(a) - cost(b) || (a.word < b.word ? -1 : 1);
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn a typed word, with or without
 * one of its endings, into a stemmed one; anything above `limit` comes back as `limit + 1`.
 */
export function editDistance(typed: string, stemmed: string, limit: number): number {
  if (stemmed.length - typed.length > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: stemmed.length + 1 }, (_, index) => index);
  let best = limit + 1;
  for (let row = 1; row <= typed.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= stemmed.length; column += 1) {
      const same = typed[row - 1] === stemmed[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swap = typed[row - 1] === stemmed[column - 2] && typed[row - 2] === stemmed[column - 1];
      if (row > 1 && column > 1 && swap) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    const distance = current[stemmed.length] ?? best;
    if (distance < best && ENDING.test(typed.slice(row))) best = distance;
    if (least > limit) break;
    before = previous;
    previous = current;
  }
  return best;
}

/** For an index that cannot list its words: those in titles, aliases and tags. */
async function titleWords(
  reader: NoteIndexReader,
  pacer: Pacer,
  visible: PathFilter | undefined,
): Promise<readonly { word: string; notes: number }[]> {
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  for (let page = 0; page < TITLE_PAGES && !pacer.expired; page += 1) {
    const { items, nextCursor } = await reader.list({}, 'path', {
      limit: 500,
      ...(visible && { visible }),
      ...(cursor && { cursor }),
    });
    for (const { title, aliases, tags } of items) {
      for (const word of new Set(wordParts([title, ...aliases, ...tags].join(' ')))) {
        counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
    if (nextCursor === null) break;
    cursor = nextCursor;
    if (pacer.due) await pacer.pause();
  }
  return [...counts].map(([word, notes]) => ({ word, notes }));
}
