import { fold } from '../../text/fold.ts';
import { stem, stemCore } from './stem.ts';

/**
 * Terms of a text in any language: what the statistical model counts.
 *
 * - Scripts written with spaces: one term per word, diacritics folded, lightly stemmed when it is
 *   plain Latin; `camelCase` and `PascalCase` also yield their parts.
 * - Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar) and Hangul: every pair of
 *   neighbours, which needs no dictionary; a character that stands alone is a term by itself.
 */

const SEPARATOR = 1;
const WORD = 2;
const UNSEGMENTED = 3;

/** Class of every UTF-16 unit, filled as units are met; a regular expression per unit would be 10x slower. */
const classes = new Uint8Array(0x10000);

const UNSEGMENTED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function classify(code: number): number {
  const known = classes[code];
  if (known) return known;
  const character = String.fromCharCode(code);
  let kind = SEPARATOR;
  if (code >= 0xd800 && code <= 0xdbff)
    // Letters outside the basic plane are nearly all rare Han; emoji and the like separate.
    kind = code >= 0xd840 && code <= 0xd8ff ? UNSEGMENTED : SEPARATOR;
  else if (/[\p{L}\p{N}\p{M}]/u.test(character))
    kind = UNSEGMENTED_SCRIPT.test(character) ? UNSEGMENTED : WORD;
  classes[code] = kind;
  return kind;
}

/** Longer runs are keys, hashes and encoded data, not words. */
const LONGEST_WORD = 40;

const stems = new Map<string, string>();
const STEMS_KEPT = 50_000;

function stemmed(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= STEMS_KEPT) stems.clear();
  const result = stem(word);
  stems.set(word, result);
  return result;
}

/**
 * Receives a term: as it is counted, as it is written (folded, not stemmed), and whether it is a
 * stretch of a script without spaces.
 */
export type TakeTerm = (term: string, written: string, unsegmented: boolean) => void;

/** Calls `take` for each term of `text`, in order. Linear in the length of the text. */
export function eachTerm(text: string, take: TakeTerm): void {
  const lower = fold(text);
  // A few letters fold to another length; then the humps of names are not looked for.
  const cased = lower.length === text.length ? text : lower;
  let at = 0;
  while (at < lower.length) {
    const kind = classify(lower.charCodeAt(at));
    if (kind === WORD) at = takeWord(lower, cased, at, take);
    else if (kind === UNSEGMENTED) at = takePairs(lower, at, take);
    else at += 1;
  }
}

function takeWord(lower: string, cased: string, start: number, take: TakeTerm): number {
  let at = start;
  let part = start;
  let parts: string[] | undefined;
  for (; at < lower.length; at += 1) {
    if (classify(lower.charCodeAt(at)) !== WORD) break;
    if (at > part && isHump(cased, at)) {
      parts ??= [];
      parts.push(lower.slice(part, at));
      part = at;
    }
  }
  if (at - start > LONGEST_WORD) return at;
  const word = lower.slice(start, at);
  take(stemmed(word), word, false);
  if (parts) {
    parts.push(lower.slice(part, at));
    for (const piece of parts) if (piece.length > 1) take(stemmed(piece), piece, false);
  }
  return at;
}

/** `fooBar` between o and B; `HTMLPage` between L and P. ASCII only: other scripts do not name things so. */
function isHump(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 65 || code > 90) return false;
  const before = text.charCodeAt(at - 1);
  if (before >= 97 && before <= 122) return true;
  const after = text.charCodeAt(at + 1);
  return before >= 65 && before <= 90 && after >= 97 && after <= 122;
}

function takePairs(text: string, start: number, take: TakeTerm): number {
  let previous = '';
  let count = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (classify(code) !== UNSEGMENTED) break;
    const width = code >= 0xd800 && code <= 0xdbff && at + 1 < text.length ? 2 : 1;
    const current = text.slice(at, at + width);
    const pair = previous + current;
    if (previous !== '') take(pair, pair, true);
    previous = current;
    count += 1;
    at += width;
  }
  if (count === 1) take(previous, previous, true);
  return at;
}

/**
 * How often each of the terms wanted stands in a text, as {@link eachTerm} finds them; those it does not have are left
 * out. Words are looked for by what a term and its word have in common, so that only few are taken apart.
 */
export function countWanted(text: string, wanted: ReadonlyMap<string, unknown>): Map<string, number> {
  const lower = fold(text);
  const cased = lower.length === text.length ? text : lower;
  const counts = new Map<string, number>();
  const count = (term: string): void => {
    if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  };
  /** Where words begin that have been counted already, for the sake of another term, and where they end. */
  const counted = new Map<number, number>();
  for (const term of wanted.keys()) {
    const common = stemCore(term);
    const kind = classify(common.charCodeAt(0));
    for (let at = common === '' ? -1 : lower.indexOf(common); at !== -1; ) {
      const start = runStart(lower, at, kind);
      const end =
        counted.get(start) ??
        (kind === WORD ? takeWord(lower, cased, start, count) : takePairs(lower, start, count));
      counted.set(start, end);
      at = lower.indexOf(common, end);
    }
  }
  return counts;
}

/** Where the word or unsegmented stretch begins that `inside` lies in. */
function runStart(text: string, inside: number, kind: number): number {
  let at = inside;
  while (at > 0) {
    const before = text.charCodeAt(at - 1);
    const width = before >= 0xdc00 && before <= 0xdfff ? 2 : 1;
    if (at < width || classify(text.charCodeAt(at - width)) !== kind) break;
    at -= width;
  }
  return at;
}
