import { sentencesOf } from '../../ai/extractive/sentences.ts';
import { nearness, Rarity, vectorOf } from '../../ai/extractive/terms.ts';
import type { Claim } from '../../ai/grounding/reply.ts';
import { type Place, type Source, sourceOf, trimmed } from '../../ai/grounding/source.ts';
import { stem } from '../../notes/path.ts';
import { tagKey } from '../../notes/structure/tags.ts';
import type { Turn } from '../../turn.ts';
import type { ForwardLink, OpenedNote } from '../../vault/session.ts';

/** Relations of two notes that follow from the notes themselves. */
export const EVIDENT = ['links_to', 'linked_from', 'part_of', 'has_part', 'same_tag', 'near'] as const;
export type Evident = (typeof EVIDENT)[number];

/** Relations of two texts that only a model can judge. */
export const JUDGED = ['supports', 'contradicts', 'extends', 'example_of', 'same_topic'] as const;
export type Judged = (typeof JUDGED)[number];

export interface Evidence {
  readonly relation: Evident;
  /** The places that show it; empty for a relation without a place, such as a common tag. */
  readonly places: readonly Place[];
}

/** Names of properties that state what a note belongs to. */
const PARENTS = /^(?:up|parent|part[ _-]?of|belongs[ _-]?to|in)(?:\.\d+)?$/i;
/** Limit of sentences of each note that are compared. */
const COMPARED = 120;
/** Least cosine of two sentences about the same subject. */
const NEAR = 0.2;

/**
 * The relations of a note to another that follow from links, properties, paths, tags and similar sentences.
 */
export async function evidenceOf(
  from: OpenedNote,
  to: OpenedNote,
  links: { readonly forward: readonly ForwardLink[]; readonly back: readonly ForwardLink[] },
  turn: Turn,
): Promise<readonly Evidence[]> {
  const found: Evidence[] = [];
  const source = sourceOf(from);
  const other = sourceOf(to);
  const forward = links.forward.filter(({ target }) => target === to.path);
  const back = links.back.filter(({ target }) => target === from.path);
  const lines = (at: Source, rows: readonly ForwardLink[]) =>
    rows.slice(0, 1).flatMap(({ line }) => linePlace(at, line));
  if (forward.length > 0) found.push({ relation: 'links_to', places: lines(source, forward) });
  if (back.length > 0) found.push({ relation: 'linked_from', places: lines(other, back) });
  const up = forward.filter(({ property }) => property !== undefined && PARENTS.test(property));
  const down = back.filter(({ property }) => property !== undefined && PARENTS.test(property));
  if (up.length > 0 || isFolderNote(to.path, from.path))
    found.push({ relation: 'part_of', places: lines(source, up) });
  if (down.length > 0 || isFolderNote(from.path, to.path))
    found.push({ relation: 'has_part', places: lines(other, down) });
  if (sharedTags(from, to).length > 0) found.push({ relation: 'same_tag', places: [] });
  const pair = await nearestSentences(source, from.parsed.bodyStart, other, to.parsed.bodyStart, turn);
  if (pair) found.push({ relation: 'near', places: pair });
  return found;
}

/** The tags of the first note that the second has too. */
export function sharedTags(a: OpenedNote, b: OpenedNote): string[] {
  const other = new Set(b.parsed.tags.map(tagKey));
  return a.parsed.tags.filter((tag) => other.has(tagKey(tag)));
}

/** Whether a note stands for the folder of another: `Boats.md` beside or in the folder `Boats`. */
function isFolderNote(note: string, inner: string): boolean {
  const folder = inner.slice(0, Math.max(0, inner.lastIndexOf('/')));
  if (folder === '' || note === inner) return false;
  return note === `${folder}.md` || note === `${folder}/${stem(folder)}.md` || note === `${folder}/index.md`;
}

function linePlace(source: Source, line: number): Place[] {
  if (line < 1) return [];
  const span = trimmed(source.text, { start: source.lines.startOf(line), end: source.lines.endOf(line) });
  return span.end > span.start ? [{ source, ...span }] : [];
}

/** The most similar pair of sentences of two notes; undefined when no pair is similar enough. */
async function nearestSentences(
  a: Source,
  startA: number,
  b: Source,
  startB: number,
  turn: Turn,
): Promise<readonly Place[] | undefined> {
  const left = await sentencesOf(a, { start: startA, end: a.text.length }, turn, COMPARED);
  const right = await sentencesOf(b, { start: startB, end: b.text.length }, turn, COMPARED);
  const rarity = new Rarity();
  for (const { terms } of [...left, ...right]) rarity.add(terms);
  const vectors = right.map(({ terms }) => vectorOf(terms, rarity));
  let best: { places: readonly Place[]; near: number } | undefined;
  for (const one of left) {
    await turn.mine();
    const vector = vectorOf(one.terms, rarity);
    for (const [at, other] of right.entries()) {
      const near = nearness(vector, vectors[at] ?? new Map());
      if (near >= NEAR && (best === undefined || near > best.near)) best = { places: [one, other], near };
    }
  }
  return best?.places;
}

/** Evidence as claims, so that it is verified like other citations. */
export function toClaims(evidence: readonly Evidence[]): Claim[] {
  return evidence.map(({ relation, places }) => ({ text: relation, places, dropped: 0 }));
}
