/**
 * Counts words by the word boundaries of Unicode (UAX #29): segments with a letter, a digit or two underscores.
 * The result equals that of `Intl.Segmenter`, which reads 1 to 5 MB/s and would take most of the time of
 * indexing. The rules for alphabets are implemented here, a hundred times faster; other stretches (scripts that
 * are segmented by a dictionary, emoji, Hebrew with its quotes) are passed to `Intl.Segmenter`.
 */

/** Separates words. */
const OTHER = 1;
const LETTER = 2;
const DIGIT = 3;
/** `_`: joins letters and digits. */
const CONNECTOR = 4;
/** Characters that join two letters (`:`), two digits (`,`), or two of either (`.`). */
const MID_LETTER = 5;
const MID_NUMBER = 6;
const MID_BOTH = 7;
/** Combining marks and format characters, which belong to the preceding character. */
const EXTEND = 8;
/** Characters that only `Intl.Segmenter` handles. */
const SLOW = 9;

/** Class of each UTF-16 code unit; 0 = not computed yet. */
const classes = new Uint8Array(0x10000);
classes.fill(OTHER, 0, 128);
classes.fill(DIGIT, 0x30, 0x3a);
classes.fill(LETTER, 0x41, 0x5b);
classes.fill(LETTER, 0x61, 0x7b);
for (const [characters, kind] of [
  ['_', CONNECTOR],
  [':', MID_LETTER],
  [',;', MID_NUMBER],
  [".'", MID_BOTH],
] as const)
  for (const character of characters) classes[character.charCodeAt(0)] = kind;

/** Most UTF-16 code units passed to `Intl.Segmenter` at once, as its time grows with their square. */
const MAX_STRETCH = 1000;

/** The number of words in a text. */
export function countWords(text: string): number {
  let words = 0;
  /** The offset after the last white space, and the number of words before it. */
  let stretch = 0;
  let before = 0;
  /** Class of the current word's last letter, digit or connector; OTHER after its end. */
  let last = OTHER;
  /** Class of a joining character whose right neighbour is still to come; 0 = none. */
  let joint = 0;
  let counted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = classes[code] || classOf(code);
    switch (kind) {
      case LETTER:
      case DIGIT: {
        if (!isJoined(last, joint, kind)) counted = false;
        if (!counted) words += 1;
        counted = true;
        last = kind;
        joint = 0;
        while (at + 1 < text.length && classes[text.charCodeAt(at + 1)] === kind) at += 1;
        break;
      }
      case CONNECTOR: {
        // A single underscore is no word; two are one.
        if (last === OTHER || joint !== 0) counted = false;
        else if (!counted) {
          words += 1;
          counted = true;
        }
        last = CONNECTOR;
        joint = 0;
        break;
      }
      case MID_LETTER:
      case MID_NUMBER:
      case MID_BOTH:
        if (joint === 0 && (last === LETTER || last === DIGIT)) joint = kind;
        else last = OTHER;
        break;
      case EXTEND:
        // As in ICU, a word that ends with `_` and a combining mark does not count, unless it continues.
        if (last === CONNECTOR && joint === 0 && counted) {
          words -= 1;
          counted = false;
        }
        break;
      case SLOW: {
        const end = stretchEnd(text, at);
        words = before + segmentedWords(text.slice(stretch, end));
        // White space follows, or the rest of a stretch that was cut.
        before = words;
        stretch = end;
        at = end - 1;
        last = OTHER;
        joint = 0;
        break;
      }
      default:
        last = OTHER;
        joint = 0;
        if (isSpace(code)) {
          stretch = at + 1;
          before = words;
        }
    }
    if (last === OTHER) joint = 0;
  }
  return words;
}

/** Whether a letter or digit continues the word whose last character has the class `last`, across a joint. */
function isJoined(last: number, joint: number, next: number): boolean {
  if (joint === 0) return last !== OTHER;
  if (last !== next) return false;
  return joint === MID_BOTH || joint === (next === LETTER ? MID_LETTER : MID_NUMBER);
}

/** White space, across which no word extends and which separates stretches completely. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function stretchEnd(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && end - from < MAX_STRETCH) end += 1;
  const code = text.charCodeAt(end);
  // A surrogate pair is not split.
  return code >= 0xdc00 && code <= 0xdfff ? end + 1 : end;
}

let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return segmenter.segment(text);
}

function segmentedWords(text: string): number {
  const segments = segmentsOf(text);
  let words = 0;
  // A third faster than iterating over the segments.
  for (let at = 0; at < text.length; ) {
    const found = segments.containing(at);
    if (found === undefined) break;
    if (found.isWordLike) words += 1;
    at = found.index + found.segment.length;
  }
  return words;
}

/**
 * Scripts whose words need no dictionary. {@link probe}, which tests single characters, cannot tell them apart.
 */
const ALPHABETIC =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]/u;

function classOf(code: number): number {
  const character = String.fromCharCode(code);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const kind = isSurrogate || !ALPHABETIC.test(character) ? SLOW : probe(character);
  classes[code] = kind;
  return kind;
}

/** The class of a character, from tests with `Intl.Segmenter`, so that both use the same version of Unicode. */
function probe(character: string): number {
  const isOne = (pattern: string) => {
    const text = pattern.replaceAll('?', character);
    return segmentsOf(text).containing(0)?.segment === text;
  };
  const between = { letters: isOne('a?a'), digits: isOne('1?1') };
  if (segmentedWords(character) > 0) {
    if (!between.letters || !between.digits || !isOne('??') || isOne('?"?')) return SLOW;
    if (isOne('?:?') && !isOne('?;?')) return LETTER;
    return isOne('?;?') && !isOne('?:?') ? DIGIT : SLOW;
  }
  if (isOne('a?')) {
    if (isOne('!?') && between.letters && between.digits) return EXTEND;
    return between.letters && isOne('_?') && isOne('?a') ? CONNECTOR : SLOW;
  }
  if (isOne('?a') || isOne('?1')) return SLOW;
  if (between.letters) return between.digits ? MID_BOTH : MID_LETTER;
  return between.digits ? MID_NUMBER : OTHER;
}
