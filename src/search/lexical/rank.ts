import type { LexicalHit } from '../../index/note-index.ts';
import { type Copies, scoresBelowOriginals } from '../conflict-copies.ts';
import { fold } from '../text/fold.ts';
import { contains, type Needle, wordParts } from '../text/words.ts';

/**
 * How hits are ordered. The index's score (bm25 over weighted fields, unbounded) is calibrated to
 * 0..1 by `s / (s + HALF)`, which keeps its order. A name that is what was typed lifts a hit by a
 * share of what is missing to 1, so boosts never leave the range; a note changed just now gains
 * RECENCY, half of it after HALF_LIFE. Equal scores are ordered by path.
 */
const HALF = 12;
const BOOSTS = { name: 0.6, alias: 0.55, beginning: 0.25, words: 0.12, whole: 0.3 } as const;
const RECENCY = 0.03;
const HALF_LIFE_MS = 90 * 24 * 3600 * 1000;

export interface RankedHit {
  readonly hit: LexicalHit;
  /** 0..1 */
  readonly score: number;
  /** Of a copy that a sync program made, the path of the original. */
  readonly copyOf?: string;
}

export interface RankContext {
  /** What was typed as plain words and phrases, folded, in order. */
  readonly words: readonly string[];
  /** Paths that hold the words themselves, when words were also matched by their beginning. */
  readonly whole: ReadonlySet<string>;
  /** ms since the epoch */
  readonly time: number;
  /** Words among them whose signs make other words of them: a name without these signs is another name. */
  readonly signed?: readonly Needle[];
  /** Paths of notes that have these words with their signs: they come before all others. */
  readonly preferred?: ReadonlySet<string>;
  /** Copies that sync programs made: they come below their originals. */
  readonly copies?: Copies;
}

export function rank(hits: readonly LexicalHit[], context: RankContext): RankedHit[] {
  const typed = context.words.join(' ');
  const scored = hits.map((hit): RankedHit => ({ hit, score: score(hit, typed, context) }));
  return withCopiesBelow(scored, context.copies).sort(
    (a, b) => b.score - a.score || comparePaths(a.hit.path, b.hit.path),
  );
}

function withCopiesBelow(hits: RankedHit[], copies: Copies | undefined): RankedHit[] {
  if (copies === undefined || copies.size === 0) return hits;
  const scores = scoresBelowOriginals(new Map(hits.map(({ hit, score }) => [hit.path, score])), copies);
  return hits.map((each) => {
    const copyOf = copies.get(each.hit.path);
    return copyOf === undefined ? each : { ...each, score: scores.get(each.hit.path) ?? 0, copyOf };
  });
}

/** By code unit: the same everywhere, whatever the locale. */
function comparePaths(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function score(hit: LexicalHit, typed: string, context: RankContext): number {
  const raw = Math.max(0, hit.score);
  let missing = HALF / (raw + HALF);
  missing *= 1 - nameBoost(hit, typed, context);
  if (context.whole.has(hit.path)) missing *= 1 - BOOSTS.whole;
  const age = Math.max(0, context.time - hit.mtimeMs);
  missing *= 1 - RECENCY * 2 ** (-age / HALF_LIFE_MS);
  return Math.round(preferred(hit, 1 - missing, context) * 1e6) / 1e6;
}

/** The upper half of the scale is for notes that are preferred, where there are any. */
function preferred({ path }: LexicalHit, score: number, context: RankContext): number {
  if (context.preferred === undefined || context.preferred.size === 0) return score;
  return context.preferred.has(path) ? (1 + score) / 2 : score / 2;
}

function nameBoost(hit: LexicalHit, typed: string, context: RankContext): number {
  const [first] = context.words;
  if (first === undefined) return 0;
  // Splitting a name into words costs more than a look whether it can matter.
  const mayMatter = (name: string): boolean => {
    const folded = fold(name);
    return folded.includes(first) && (context.signed ?? []).every((signed) => contains(folded, signed));
  };
  const title = mayMatter(hit.title) ? wordParts(hit.title) : [];
  const name = title.join(' ');
  if (name === typed) return BOOSTS.name;
  if (hit.aliases.some((alias) => mayMatter(alias) && wordParts(alias).join(' ') === typed))
    return BOOSTS.alias;
  if (name.startsWith(`${typed} `)) return BOOSTS.beginning;
  const inTitle = new Set(title);
  return context.words.every((word) => inTitle.has(word)) ? BOOSTS.words : 0;
}
