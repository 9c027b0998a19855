import { fold, NON_ASCII } from './fold.ts';
import { stem } from './porter.ts';
import { haveSigns, signsOf, type WordSigns } from './signs.ts';

/** Scripts written without spaces, and symbols: the index holds their characters one by one. */
const UNSEGMENTED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Hangul}' +
  '\\p{Script=Yi}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tai_Le}' +
  '\\p{Script=New_Tai_Lue}\\p{Script=Tai_Tham}\\p{Script=Tai_Viet}\\p{Script=Javanese}' +
  '\\p{Script=Balinese}\\p{Script=Nushu}\\p{Script=Tangut}\\u30fc\\p{So}';
const WORD = '\\p{L}\\p{N}\\p{M}\\p{Co}\\p{So}';
const WORD_PARTS = new RegExp(`[${UNSEGMENTED}]|(?:(?![${UNSEGMENTED}])[${WORD}])+`, 'gu');
const UNSEGMENTED_CHAR = new RegExp(`[${UNSEGMENTED}]`, 'u');
const WORD_CHAR = new RegExp(`[${WORD}]`, 'u');
/** The same words in folded ASCII, without the tables of all scripts, which take long to compile and to walk. */
const ASCII_PARTS = /[0-9a-z]+/g;

/** The words in a text, folded, as the index counts them: `POL-358` is `pol`, `358`; `系統` is `系`, `統`. */
export function wordParts(text: string): string[] {
  const folded = fold(text);
  return folded.match(NON_ASCII.test(folded) ? WORD_PARTS : ASCII_PARTS) ?? [];
}

/** True for a character of a script written without spaces, or a word part that is one. */
export function isUnsegmented(part: string): boolean {
  return part.charCodeAt(0) > 127 && UNSEGMENTED_CHAR.test(part);
}

/** True when the code point at `at` of a text continues or begins a word. */
function isWordChar(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return isAsciiWord(code);
  const point = text.codePointAt(at);
  return point !== undefined && WORD_CHAR.test(String.fromCodePoint(point));
}

function isAsciiWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** A word or phrase made ready to be found in folded text. */
export interface Needle {
  /** Folded words in order; at least one. */
  readonly parts: readonly string[];
  readonly stems: readonly string[];
  /** The last part is only the beginning of a word. */
  readonly prefix: boolean;
  /** Parts may also stand inside a longer word. */
  readonly inside: boolean;
  /** What stands right before every place: `#`. */
  readonly behind: string;
  /** Signs that make another word of a part (`C++`), to be there just so; undefined when they do not matter. */
  readonly signs: readonly WordSigns[] | undefined;
  /** Where no place has the signs, the words alone count. */
  readonly signsOptional: boolean;
  /** What every place has to begin with: the common beginning of the first part and its stem. */
  readonly anchor: string;
}

export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** The signs in a word or phrase that make other words of its words; undefined for one without. */
export function signsIn(text: string): readonly WordSigns[] | undefined {
  const folded = fold(text);
  const words = [...folded.matchAll(NON_ASCII.test(folded) ? WORD_PARTS : ASCII_PARTS)];
  return signsOf(
    folded,
    words.map(({ index, 0: word }) => ({ start: index, end: index + word.length })),
  );
}

/**
 * undefined when `text` holds no word.
 * @param options `signs`: whether those in the text have to be there as well, or are only looked for first
 */
export function needle(
  text: string,
  options: { prefix?: boolean; inside?: boolean; behind?: string; signs?: 'required' | 'preferred' } = {},
): Needle | undefined {
  const parts = wordParts(text);
  const [first] = parts;
  if (first === undefined) return undefined;
  const stems = parts.map((part) => stem(part));
  const wordEnds = parts.length > 1 || !options.prefix;
  return {
    parts,
    stems,
    prefix: options.prefix ?? false,
    inside: options.inside ?? false,
    behind: options.behind ?? '',
    signs: options.signs ? signsIn(text) : undefined,
    signsOptional: options.signs === 'preferred',
    anchor: wordEnds ? anchorOf(first, stems[0] ?? first) : first,
  };
}

/**
 * Places of a needle in folded text, first ones first.
 * @param limit stop after this many
 */
export function occurrences(
  folded: string,
  wanted: Needle,
  limit: number,
  from = 0,
  to = folded.length,
): Occurrence[] {
  const found = places(folded, wanted, limit, from, to);
  if (found.length > 0 || !wanted.signs || !wanted.signsOptional) return found;
  return places(folded, { ...wanted, signs: undefined }, limit, from, to);
}

function places(folded: string, wanted: Needle, limit: number, from: number, to: number): Occurrence[] {
  const found: Occurrence[] = [];
  for (let at = folded.indexOf(wanted.anchor, from); at >= 0 && at < to; ) {
    const placed = wanted.behind === '' || folded.startsWith(wanted.behind, at - wanted.behind.length);
    const end = placed ? matchAt(folded, at, wanted) : undefined;
    if (end !== undefined) {
      found.push({ start: at - (wanted.signs?.[0]?.before.length ?? 0), end });
      if (found.length >= limit) break;
    }
    at = folded.indexOf(wanted.anchor, end ?? at + 1);
  }
  return found;
}

export function contains(folded: string, wanted: Needle): boolean {
  return occurrences(folded, wanted, 1).length > 0;
}

function matchAt(folded: string, start: number, wanted: Needle): number | undefined {
  let at = start;
  for (let index = 0; index < wanted.parts.length; index += 1) {
    const part = wanted.parts[index] ?? '';
    if (index > 0 && !wanted.signs?.[index - 1]?.glued) at = skipSeparators(folded, at);
    const last = index === wanted.parts.length - 1;
    const end = partAt(folded, at, part, wanted.stems[index] ?? part, last && wanted.prefix, wanted.inside);
    if (end === undefined) return undefined;
    const signs = wanted.signs?.[index];
    if (signs && !haveSigns(folded, at, end, signs)) return undefined;
    at = end + (signs?.behind.length ?? 0);
  }
  return at;
}

function partAt(
  folded: string,
  at: number,
  part: string,
  partStem: string,
  prefix: boolean,
  inside: boolean,
): number | undefined {
  const exact = folded.startsWith(part, at);
  if (isUnsegmented(part)) return exact ? at + part.length : undefined;
  if (inside && exact) return at + part.length;
  if (!startsWord(folded, at) && !isVersion(folded, at)) return undefined;
  const end = wordEnd(folded, exact ? at + part.length : at);
  if (exact && (prefix || end === at + part.length)) return end;
  return !prefix && stem(folded.slice(at, end)) === partStem ? end : undefined;
}

function startsWord(folded: string, at: number): boolean {
  if (at === 0) return true;
  const before = folded.charCodeAt(at - 1);
  if (before < 128) return !isAsciiWord(before);
  const start = before >= 0xdc00 && before <= 0xdfff && at > 1 ? at - 2 : at - 1;
  if (!isWordChar(folded, start)) return true;
  return isUnsegmented(String.fromCodePoint(folded.codePointAt(start) ?? 0));
}

/** The numbers of `v1.2`, which the index also has without the `v`. */
function isVersion(folded: string, at: number): boolean {
  return (
    folded.charAt(at - 1) === 'v' && startsWord(folded, at - 1) && /^\d+\.\d/.test(folded.slice(at, at + 12))
  );
}

function wordEnd(folded: string, start: number): number {
  let at = start;
  while (at < folded.length) {
    const code = folded.charCodeAt(at);
    if (code < 128) {
      if (!isAsciiWord(code)) break;
      at += 1;
      continue;
    }
    if (!isWordChar(folded, at)) break;
    const point = folded.codePointAt(at) ?? 0;
    if (point > 127 && isUnsegmented(String.fromCodePoint(point))) break;
    at += point > 0xffff ? 2 : 1;
  }
  return at;
}

/** Over anything that is no word; a phrase may go over a line break. */
function skipSeparators(folded: string, from: number): number {
  let at = from;
  while (at < folded.length && at - from < 80 && !isWordChar(folded, at)) {
    at += (folded.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/**
 * What all words of one stem begin with: `poni` is also `pony`'s stem, `hope` that of `hoping`,
 * `possibl` that of `possibility`.
 */
function anchorOf(word: string, stemmed: string): string {
  let length = 0;
  while (length < word.length && word[length] === stemmed[length]) length += 1;
  const shared = word.slice(0, length);
  return length > 2 && /^[a-z]+$/.test(word) ? shared.replace(/(?:[ie]|(?<=b)l)$/, '') : shared;
}
