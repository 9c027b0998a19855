import type { NoteIndexReader } from '../index/note-index.ts';
import type { Pacer } from './pacer.ts';
import { stem } from './text/porter.ts';
import { isUnsegmented, wordParts } from './text/words.ts';

const VOCABULARY_LIMIT = 20_000;
const TITLE_PAGES = 40;
/** Shorter words have too many neighbours to guess among. */
const MIN_LENGTH = 4;

/**
 * The word of the vault nearest to a mistyped one: one edit away (two from eight letters on; a swap
 * of neighbours is one), of several the nearest, then the one in most notes. The first letter is
 * taken as right, unless only titles can be asked.
 */
export async function correctWord(
  reader: NoteIndexReader,
  word: string,
  pacer: Pacer,
): Promise<string | undefined> {
  const [part, ...more] = wordParts(word);
  if (part === undefined || more.length > 0 || part.length < MIN_LENGTH || part.length > 40) return undefined;
  if (isUnsegmented(part) || /\d/.test(part)) return undefined;
  const known = reader.vocabulary
    ? await reader.vocabulary(part.slice(0, 1), VOCABULARY_LIMIT)
    : await titleWords(reader, pacer);
  const wanted = stem(part);
  const allowed = part.length >= 8 ? 2 : 1;
  let best: { word: string; distance: number; notes: number } | undefined;
  for (const candidate of known) {
    if (pacer.due) await pacer.pause();
    if (candidate.word === wanted || candidate.word === part) continue;
    const limit = best?.distance ?? allowed;
    const distance = Math.min(
      editDistance(wanted, candidate.word, limit),
      editDistance(part, candidate.word, limit),
    );
    if (distance > limit) continue;
    if (!best || distance < best.distance || candidate.notes > best.notes) best = { ...candidate, distance };
  }
  return best?.word;
}

/**
 * Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other;
 * anything above `limit` comes back as `limit + 1`.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1]
      ) {
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return Math.min(previous[right.length] ?? limit + 1, limit + 1);
}

/** For an index that cannot list its words: those in titles, aliases and tags. */
async function titleWords(
  reader: NoteIndexReader,
  pacer: Pacer,
): Promise<readonly { word: string; notes: number }[]> {
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  for (let page = 0; page < TITLE_PAGES && !pacer.expired; page += 1) {
    const { items, nextCursor } = await reader.list({}, 'path', { limit: 500, ...(cursor && { cursor }) });
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
