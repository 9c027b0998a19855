import { forEachAsciiCompound } from './ascii.ts';
import { byLines, NOT_ASCII } from './lines.ts';

/**
 * Prepares texts and queries alike for the full-text index. SQLite's tokenizer (unicode61) takes runs of
 * letters, digits, marks and symbols as words. Three things are done here first:
 *
 * - in scripts written without spaces each character becomes a word, so that any substring is a phrase;
 * - a word with inner punctuation (`POL-358`, `2026.4.10`, `don't`) is found by its parts and as a whole: the
 *   whole word is appended after the text, so that phrases across its parts still match;
 * - compatibility forms and marks that people leave out (full-width letters, Greek accents, Hebrew points,
 *   Arabic vowels, variation selectors) are folded; the tokenizer itself folds Latin accents.
 */

/** Joins the parts of a compound into one word. A private-use character, which texts hardly contain. */
export const JOINT = '\uE000';
/** Separates the text from its compounds, so that no phrase matches across. */
const GAP = ' \uE001 ';

/**
 * Scripts written without spaces between words, or (Hangul) with suffixes attached to words. Tibetan and
 * Ethiopic separate words by marks and are not included. Symbols, including emoji, are words of their own.
 */
const UNSEGMENTED_CLASS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Hangul}' +
  '\\p{Script=Yi}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tai_Le}' +
  '\\p{Script=New_Tai_Lue}\\p{Script=Tai_Tham}\\p{Script=Tai_Viet}\\p{Script=Javanese}' +
  '\\p{Script=Balinese}\\p{Script=Nushu}\\p{Script=Tangut}\\u30FC\\p{So}';
const UNSEGMENTED = new RegExp(`[${UNSEGMENTED_CLASS}]`, 'gu');
const ONE_UNSEGMENTED = new RegExp(`^[${UNSEGMENTED_CLASS}]$`, 'u');
const PIECE = /[\p{L}\p{N}\p{M}\p{So}\p{Co}]+/gu;

/** Hebrew points, Arabic vowel signs and tatweel, variation selectors. */
const UNWRITTEN_MARKS =
  /[\u0591-\u05BD]|\u05BF|[\u05C1\u05C2]|[\u05C4\u05C5]|\u05C7|\u0640|[\u064B-\u0652]|\u0670|[\uFE00-\uFE0F]/g;
/** Letters with a stroke and ligatures, which have no Unicode decomposition. */
const STROKED = /[øØłŁđĐðÐþÞæÆœŒıßẞ]/g;
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  Ø: 'o',
  ł: 'l',
  Ł: 'l',
  đ: 'd',
  Đ: 'd',
  ð: 'd',
  Ð: 'd',
  þ: 'th',
  Þ: 'th',
  æ: 'ae',
  Æ: 'ae',
  œ: 'oe',
  Œ: 'oe',
  ı: 'i',
  ß: 'ss',
  ẞ: 'ss',
};

/** Greek letters with accents, which capitals omit, and `ё`, which is often written `е`. */
const ACCENTED =
  /[\u0386\u0388-\u038A\u038C\u038E-\u0390\u03AA-\u03B0\u03CA-\u03CE\u1F00-\u1FFF\u0401\u0451]/g;

/** A word with inner punctuation. Bounded repeats and a left boundary keep matching linear on any input. */
const COMPOUND = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]{1,40}(?:[-._/'’‑+@][\p{L}\p{N}\p{M}]{1,40}){1,7}/gu;
const APOSTROPHE = /['’]/g;
const SEPARATOR = /[-._/'’‑+@]/g;
const VERSION = /^v\d/i;
/** The `v` of a version inside a compound: `lib@v2.3.4`, `v1.2.3-beta`. */
const VERSION_MARK = /(?<![\p{L}\p{N}\p{M}])v(?=\d+\.\d)/iu;

/** Folds what the tokenizer does not fold, and replaces NUL, at which SQLite would stop reading. */
function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) return text.includes('\0') ? text.replaceAll('\0', ' ') : text;
  return text
    .normalize('NFKC')
    .replaceAll('\0', ' ')
    .replace(UNWRITTEN_MARKS, '')
    .replace(ACCENTED, (letter) => letter.normalize('NFD').charAt(0))
    .replace(STROKED, (letter) => PLAIN[letter] ?? letter);
}

/** The whole-word forms of a compound: its parts joined without apostrophes; a version also without its `v`. */
function wholes(compound: string): string[] {
  const bare = compound.replace(APOSTROPHE, '');
  const joined = bare.replace(SEPARATOR, JOINT);
  return VERSION.test(joined) && joined.includes(JOINT) ? [joined, joined.slice(1)] : [joined];
}

/** The parts of a version without its `v`, as words, as people search for `1.2` or `1.2.3`. */
function versionWords(compound: string): string | undefined {
  const mark = VERSION_MARK.exec(compound);
  return mark === null ? undefined : compound.slice(mark.index + 1).replace(SEPARATOR, ' ');
}

function split(folded: string): string {
  return NOT_ASCII.test(folded) ? folded.replace(UNSEGMENTED, ' $& ') : folded;
}

/** The form of a text that is stored in a column of the full-text index. */
export function indexedForm(text: string): string {
  const wholeWords = new Set<string>();
  const versions = new Set<string>();
  const addCompound = (compound: string): void => {
    for (const whole of wholes(compound)) wholeWords.add(whole);
    const version = versionWords(compound);
    if (version !== undefined) versions.add(version);
  };
  let words = '';
  // Folding, splitting and compounds never span lines.
  byLines(
    text,
    (stretch) => {
      words += foldText(stretch);
      forEachAsciiCompound(stretch, addCompound);
    },
    (line) => {
      const folded = foldText(line);
      words += split(folded);
      folded.match(COMPOUND)?.forEach(addCompound);
    },
  );
  if (wholeWords.size === 0) return words;
  return [words, split([...wholeWords].join(' ')), ...versions].join(GAP);
}

/** The form of several short texts (aliases, headings, tags) for one column; no phrase matches across two. */
export function columnForm(texts: readonly string[]): string {
  return texts.length === 0 ? '' : indexedForm(texts.join(GAP));
}

/** A query word or phrase in the form of the index. */
export interface QueryForm {
  /** Consecutive words; empty when the text contains no word. */
  readonly pieces: readonly string[];
  /** The whole-word form when the text is a single compound. */
  readonly whole: string | undefined;
  /** Whether the last word is a single character of an unsegmented script, which no longer word begins with. */
  readonly closed: boolean;
}

const ONLY_COMPOUND = new RegExp(`^(?:${COMPOUND.source})$`, 'u');
/**
 * Most words of a phrase; a longer one is cut. FTS5 compares each of them with each place of the note in one
 * step: on a note of one word, 200,000 times, 256 words held the event loop for 1.3 s.
 */
const MAX_PIECES = 24;

/** The query-side counterpart of {@link indexedForm}. */
export function queryForm(text: string): QueryForm {
  const folded = foldText(text).trim();
  const pieces = (split(folded).match(PIECE) ?? []).slice(0, MAX_PIECES);
  const core = folded.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, '');
  const last = pieces.at(-1) ?? '';
  const whole = core.length <= 400 && ONLY_COMPOUND.test(core) ? wholes(core)[0] : undefined;
  const wholePieces = whole === undefined ? [] : (split(whole).match(PIECE) ?? []);
  return {
    pieces,
    whole: wholePieces.length === 1 ? whole : undefined,
    closed: ONE_UNSEGMENTED.test(last),
  };
}
