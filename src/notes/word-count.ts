/**
 * Words of a text by the word boundaries of Unicode (UAX #29): segments with a letter, a digit or two underscores.
 * The result is that of `Intl.Segmenter`, which reads 1 to 5 MB/s and would be most of a note's indexing. So the rules for
 * alphabets are applied here, a hundred times faster; stretches that need more (scripts that are segmented by a dictionary, emoji,
 * Hebrew with its quotes) go to `Intl.Segmenter`.
 */

/** What separates words. */
const OTHER = 1;
const LETTER = 2;
const DIGIT = 3;
/** `_`: joins letters and digits. */
const CONNECTOR = 4;
/** Join when between two letters (`:`), two digits (`,`), two of either (`.`). */
const MID_LETTER = 5;
const MID_NUMBER = 6;
const MID_BOTH = 7;
/** Combining marks and format characters: belong to what is before them. */
const EXTEND = 8;
/** For `Intl.Segmenter`. */
const SLOW = 9;

/** Class of each UTF-16 unit; 0 until it is met. */
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

/** Units given to `Intl.Segmenter` at once: it takes time with the square of more. */
const LONGEST_STRETCH = 1000;

export function countWords(text: string): number {
  let words = 0;
  /** Behind the last white space, and the words up to there. */
  let stretch = 0;
  let before = 0;
  /** Of the word that `at` may go on with: its last letter, digit or connector; OTHER behind its end. */
  let last = OTHER;
  /** A character that joins when the right one follows; 0 when there is none. */
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
        // One alone is no word; a second one makes it one.
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
        // As ICU has it: a word that ends in `_` with a mark is none, unless it goes on.
        if (last === CONNECTOR && joint === 0 && counted) {
          words -= 1;
          counted = false;
        }
        break;
      case SLOW: {
        const end = stretchEnd(text, at);
        words = before + segmentedWords(text.slice(stretch, end));
        // What follows is white space, or a stretch that was cut.
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

/** Whether a letter or digit goes on with the word whose last character is `last`, over a joint. */
function isJoined(last: number, joint: number, next: number): boolean {
  if (joint === 0) return last !== OTHER;
  if (last !== next) return false;
  return joint === MID_BOTH || joint === (next === LETTER ? MID_LETTER : MID_NUMBER);
}

/** No word reaches across these, and nothing that stands behind one says anything about what is before it. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function stretchEnd(text: string, from: number): number {
  let end = from + 1;
  while (end < text.length && !isSpace(text.charCodeAt(end)) && end - from < LONGEST_STRETCH) end += 1;
  const code = text.charCodeAt(end);
  // Not through the middle of a surrogate pair.
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
  // A third faster than going over the segments as they come.
  for (let at = 0; at < text.length; ) {
    const found = segments.containing(at);
    if (found === undefined) break;
    if (found.isWordLike) words += 1;
    at = found.index + found.segment.length;
  }
  return words;
}

/** Scripts whose words the rules alone find. The others would look like them to {@link probe} one character at a time. */
const ALPHABETIC =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]/u;

function classOf(code: number): number {
  const character = String.fromCharCode(code);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  const kind = isSurrogate || !ALPHABETIC.test(character) ? SLOW : probe(character);
  classes[code] = kind;
  return kind;
}

/** Asks `Intl.Segmenter` once per character how it behaves between others, so that its version of Unicode holds here. */
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
