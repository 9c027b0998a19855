import { tagKey } from '../../notes/structure/tags.ts';
import type { TagSuggestion } from '../suggest/vocabulary.ts';

/** A note similar to the one that needs tags. */
export interface TaggedNeighbour {
  /** Similarity, 0..1. */
  readonly score: number;
  readonly tags: readonly string[];
}

/** A tag of the vault and the number of notes that have it. */
export interface TagUse {
  readonly tag: string;
  readonly notes: number;
}

/** Confidence that the words of a tag in the title, or in the text, add. */
const NAMED = { title: 0.5, text: 0.3 } as const;
/** Weight of a tag that every note has; a rare tag has weight 1. */
const COMMON_WEIGHT = 0.4;

/**
 * Suggests tags for a note from those of similar notes. Nearer notes weigh more, common tags less, and a tag
 * whose words are in the note gains confidence.
 *
 * @param uses the vault's tags
 * @param total number of notes in the vault
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

/** The words of a text as ` one two `, so that whole words can be found with `includes`. */
function words(text: string): string {
  return ` ${text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')} `;
}

/** Whether the text contains the last part of a nested tag. */
function names(text: string, key: string): boolean {
  const wanted = words(key.split('/').at(-1) ?? key);
  return wanted.length > 4 && text.includes(wanted);
}
