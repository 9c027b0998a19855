import type { TextPattern } from '../query/regex.ts';
import { foldWithOffsets } from '../text/fold.ts';
import { type Needle, type Occurrence, occurrences } from '../text/words.ts';

/** What is looked for in a note's text. */
export interface Highlights {
  readonly needles: readonly Needle[];
  readonly patterns: readonly TextPattern[];
}

export interface Passage {
  /** Of the densest group of matches; start and end are 0 when nothing matches. */
  readonly start: number;
  readonly end: number;
  /** All matches found on the passage's side of the front matter, in order. */
  readonly matches: readonly Occurrence[];
}

/** Matches that may share one snippet. */
const SPAN = 190;
/** Places looked at per word: enough to meet a dense one, few enough for a word in every line. */
const PLACES = 120;
/** Places of rarer words around which a word with more than that is looked for again. */
const RARE_PLACES = 20;
const PATTERN_PLACES = 50;
/** Patterns run slower than words; beyond this a note's beginning stands for it. */
const PATTERN_TEXT = 64 * 1024;

interface Place extends Occurrence {
  readonly wanted: number;
}

/**
 * The group of matches that covers most of what is looked for in the least space; rarer words weigh
 * more, earlier groups win ties. The front matter counts only when nothing matches below it.
 * @param bodyStart offset of the first character below the front matter
 * @param within looks nowhere else; without a match there, the passage begins where it does
 */
export function findPassage(
  text: string,
  bodyStart: number,
  highlights: Highlights,
  within?: Occurrence,
): Passage {
  const folded = foldWithOffsets(text);
  const { offsets } = folded;
  const source = (at: number): number => (offsets ? (offsets[at] ?? text.length) : at);
  const fromFolded = ({ start, end }: Occurrence): Place => ({
    start: source(start),
    end: source(end),
    wanted: 0,
  });
  const wordPlaces = (from: number, to: number): Place[][] =>
    placesOf(folded.text, highlights.needles, from, to).map((found, wanted) =>
      found.map(({ start, end }) => ({ start: source(start), end: source(end), wanted })),
    );
  const foldedAt = (at: number): number => (offsets ? foldedOffset(offsets, at) : at);
  const placesIn = (from: number, to: number): Place[][] => [
    ...wordPlaces(foldedAt(from), foldedAt(to)),
    ...patternPlaces(to < text.length ? text.slice(0, to) : text, from, highlights),
  ];
  if (within !== undefined) {
    const passage = densest(placesIn(within.start, within.end));
    return passage.matches.length > 0 ? passage : { ...passage, start: within.start, end: within.start };
  }
  let places = placesIn(bodyStart, text.length);
  const found = () => places.some((each) => each.length > 0);
  if (bodyStart > 0 && !found()) places = placesIn(0, bodyStart);
  if (found()) return densest(places);
  return densest([contractions(folded.text, highlights.needles).map(fromFolded)]);
}

/** Words with an apostrophe that was left out when typing (`dont`), as the index also has them. */
function contractions(folded: string, needles: readonly Needle[]): Occurrence[] {
  const wanted = new Set(needles.filter(({ parts }) => parts.length === 1).map(({ parts }) => parts[0]));
  const found: Occurrence[] = [];
  if (wanted.size === 0) return found;
  for (const { index } of folded.matchAll(/['’]/g)) {
    const [before = ''] = /[\p{L}\p{N}\p{M}]*$/u.exec(folded.slice(Math.max(0, index - 40), index)) ?? [];
    const [behind = ''] = /^[\p{L}\p{N}\p{M}]*/u.exec(folded.slice(index + 1, index + 41)) ?? [];
    if (wanted.has(before + behind))
      found.push({ start: index - before.length, end: index + 1 + behind.length });
    if (found.length === PLACES) break;
  }
  return found;
}

function placesOf(
  folded: string,
  needles: readonly Needle[],
  from: number,
  to: number,
): readonly (readonly Occurrence[])[] {
  const found = needles.map((needle) => occurrences(folded, needle, PLACES, from, to));
  // Nearly always: no word stands in every line.
  if (found.every((places) => places.length < PLACES)) return found;
  const rare = found
    .filter((places) => places.length < PLACES)
    .flat()
    .slice(0, RARE_PLACES);
  return found.map((places, index) => {
    const needle = needles[index];
    if (places.length < PLACES || !needle) return places;
    let covered = places.at(-1)?.end ?? to;
    const all = [...places];
    for (const place of rare.sort((a, b) => a.start - b.start)) {
      const near = Math.max(covered, place.start - SPAN);
      const around = occurrences(folded, needle, 5, near, Math.min(to, place.end + SPAN));
      all.push(...around);
      covered = Math.max(covered, around.at(-1)?.end ?? 0);
    }
    return all;
  });
}

function patternPlaces(text: string, from: number, highlights: Highlights): Place[][] {
  if (highlights.patterns.length === 0) return [];
  const searched = text.slice(from, from + PATTERN_TEXT);
  return highlights.patterns.map((pattern, index) =>
    pattern.find(searched, PATTERN_PLACES).map(({ start, end }) => ({
      start: start + from,
      end: Math.min(end, start + SPAN) + from,
      wanted: highlights.needles.length + index,
    })),
  );
}

function densest(found: readonly Place[][]): Passage {
  const weights = found.map((places) => 1 / (1 + Math.log1p(places.length)));
  const places = inOrder(found);
  const inside = new Array<number>(found.length).fill(0);
  let best = { score: -1, first: 0, last: -1 };
  let score = 0;
  let first = 0;
  places.forEach((place, last) => {
    if (inside[place.wanted] === 0) score += weights[place.wanted] ?? 0;
    inside[place.wanted] = (inside[place.wanted] ?? 0) + 1;
    for (
      let left = places[first];
      left && first < last && place.end - left.start > SPAN;
      left = places[first]
    ) {
      inside[left.wanted] = (inside[left.wanted] ?? 0) - 1;
      if (inside[left.wanted] === 0) score -= weights[left.wanted] ?? 0;
      first += 1;
    }
    // More places of the same words count a little, so that a passage about them beats a mention.
    const density = score + 0.02 * Math.min(last - first, 5);
    if (density > best.score + 1e-9) best = { score: density, first, last };
  });
  const group = tightest(places.slice(best.first, best.last + 1), found.length);
  const from = group[0];
  const to = group.at(-1);
  return from && to ? { start: from.start, end: to.end, matches: places } : { start: 0, end: 0, matches: [] };
}

/** All places by where they stand; those of one word do already. */
function inOrder(found: readonly Place[][]): readonly Place[] {
  const some = found.filter((places) => places.length > 0);
  if (some.length < 2) return some[0] ?? [];
  return ([] as Place[]).concat(...some).sort((a, b) => a.start - b.start || b.end - a.end);
}

/** The shortest run of places that still has every word of the group; the first of equals. */
function tightest(group: readonly Place[], kinds: number): readonly Place[] {
  const wanted = new Set(group.map((place) => place.wanted)).size;
  const inside = new Array<number>(kinds).fill(0);
  let best: { first: number; last: number; span: number } | undefined;
  let covered = 0;
  let first = 0;
  group.forEach((place, last) => {
    if (inside[place.wanted] === 0) covered += 1;
    inside[place.wanted] = (inside[place.wanted] ?? 0) + 1;
    for (let left = group[first]; left && (inside[left.wanted] ?? 0) > 1; left = group[first]) {
      inside[left.wanted] = (inside[left.wanted] ?? 0) - 1;
      first += 1;
    }
    const span = place.end - (group[first]?.start ?? 0);
    if (covered === wanted && (!best || span < best.span)) best = { first, last, span };
  });
  return best ? group.slice(best.first, best.last + 1) : group;
}

/** First folded index whose source offset is at or behind `at`. */
function foldedOffset(offsets: Uint32Array, at: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
