import type { LexicalHit, LexicalQuery, NoteIndexReader, PathFilter } from '../../index/note-index.ts';
import type { Pacer } from '../pacer.ts';
import type { SignedWord } from '../snippet/highlight.ts';
import { fold } from '../text/fold.ts';
import { contains } from '../text/words.ts';

/** Hits whose text is looked at: enough to meet `C++` among notes that have a `C`. */
const MOST_HITS = 2000;
const PAGE = 100;

/**
 * Of the notes that a query finds by its bare words, those that have the words with their signs (`C++`, not `C`): all of the
 * words, or one of them where the query asks for one.
 * @param query as the index was asked
 * @param signed its words with signs; none = no notes
 */
export async function hitsWithSigns(
  reader: NoteIndexReader,
  query: LexicalQuery,
  signed: readonly SignedWord[],
  visible: PathFilter | undefined,
  pacer: Pacer,
): Promise<readonly LexicalHit[]> {
  if (signed.length === 0) return [];
  const all = query.required.length > 0;
  const optional = query.optional.filter((term) => signed.some(({ text }) => text === term.text));
  if (!all && optional.length === 0) return [];
  const asked = all ? query : { ...query, optional };
  const found: LexicalHit[] = [];
  let cursor: string | undefined;
  for (let looked = 0; looked < MOST_HITS && !pacer.expired; looked += PAGE) {
    const page = await reader.lexical(asked, {
      limit: PAGE,
      ...(visible && { visible }),
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...(await keepSigned(reader, page.items, signed, all, pacer)));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return found;
}

/**
 * Of some hits, those that have the words with their signs.
 * @param all of the words; otherwise one is enough
 */
export async function keepSigned<Hit extends { readonly path: string }>(
  reader: NoteIndexReader,
  hits: readonly Hit[],
  signed: readonly SignedWord[],
  all: boolean,
  pacer: Pacer,
): Promise<readonly Hit[]> {
  const kept: Hit[] = [];
  for (let from = 0; from < Math.min(hits.length, MOST_HITS) && !pacer.expired; from += PAGE) {
    const page = hits.slice(from, from + PAGE);
    const sources = await reader.hitSources(page.map(({ path }) => path));
    for (const hit of page) {
      if (pacer.due) await pacer.pause();
      const source = sources.get(hit.path);
      if (source === undefined) continue;
      const whole = [source.title, ...source.aliases, hit.path, source.text].join('\n');
      // Folding costs more than a look whether the signs are there at all.
      const mayHave = ({ needle }: SignedWord) =>
        needle.signs?.every(({ before, behind }) => whole.includes(before) && whole.includes(behind));
      if (all ? !signed.every(mayHave) : !signed.some(mayHave)) continue;
      const folded = fold(whole);
      const has = ({ needle }: SignedWord) => contains(folded, needle);
      if (all ? signed.every(has) : signed.some(has)) kept.push(hit);
    }
  }
  return kept;
}
