import { tagKey } from '../../notes/structure/tags.ts';
import type { TagSuggestion } from '../suggest/vocabulary.ts';

/** A note near the one that is to have tags. */
export interface TaggedNeighbour {
  /** 0..1: how near. */
  readonly score: number;
  readonly tags: readonly string[];
}

/** A tag of the vault, and how many notes have it. */
export interface TagUse {
  readonly tag: string;
  readonly notes: number;
}

/** How much it says that a tag's words stand in the title, or in the text, beside what near notes say. */
const NAMED = { title: 0.5, text: 0.3 } as const;
/** A tag that every note has says nothing of one of them; a rare one counts fully. */
const COMMON_WEIGHT = 0.4;

/**
 * Tags for a note from those of the notes near it: nearer ones count more, tags of few notes more than those of many,
 * and a tag that the note names is surer.
 *
 * @param uses the vault's tags
 * @param total notes in the vault
 */
export function suggestTags(
  note: { readonly title: string; readonly text: string },
  neighbours: readonly TaggedNeighbour[],
  uses: readonly TagUse[],
  total: number,
): TagSuggestion[] {
  const use = new Map(uses.map((each) => [tagKey(each.tag), each]));
  const weight = neighbours.reduce((sum, { score }) => sum + score * score, 0);
  const near = new Map<string, { weight: number; count: number }>();
  for (const { score, tags } of neighbours) {
    for (const key of new Set(tags.map(tagKey))) {
      const found = near.get(key) ?? { weight: 0, count: 0 };
      near.set(key, { weight: found.weight + score * score, count: found.count + 1 });
    }
  }
  const title = words(note.title);
  const text = words(note.text);
  const suggestions: TagSuggestion[] = [];
  for (const [key, { tag, notes }] of use) {
    const found = near.get(key);
    const isInTitle = names(title, key);
    const named = isInTitle ? NAMED.title : names(text, key) ? NAMED.text : 0;
    if (found === undefined && named === 0) continue;
    const rare = 1 - Math.log(1 + notes) / Math.log(2 + total);
    const share =
      found === undefined || weight === 0
        ? 0
        : (found.weight / weight) * (COMMON_WEIGHT + (1 - COMMON_WEIGHT) * rare);
    const confidence = 1 - (1 - share) * (1 - named * Math.max(0.2, rare));
    suggestions.push({
      tag,
      confidence: Math.round(confidence * 1000) / 1000,
      because: [
        ...(found === undefined ? [] : [`${found.count} of ${neighbours.length} notes near it`]),
        ...(named === 0 ? [] : [isInTitle ? 'named in its title' : 'named in its text']),
      ],
    });
  }
  return suggestions.sort((a, b) => b.confidence - a.confidence || (a.tag < b.tag ? -1 : 1));
}

/** The words of a text as ` one two `, so that whole words are found by searching. */
function words(text: string): string {
  return ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')} `;
}

/** A nested tag is named by its last part. */
function names(text: string, key: string): boolean {
  const wanted = words(key.split('/').at(-1) ?? key);
  return wanted.length > 4 && text.includes(wanted);
}
