/**
 * Folding for comparison, the way the index folds words: lower case, Latin and Greek letters without their
 * diacritics, `ё` as `е`, Hebrew and Arabic without their vowels, which readers and capitals leave out. Other
 * marks stay, where a mark makes another letter (`テ`/`デ`, `и`/`й`).
 */
export interface FoldedText {
  readonly text: string;
  /** Source offset of each folded code unit, and one past the end; undefined when they are equal. */
  readonly offsets: Uint32Array | undefined;
}

export const NON_ASCII = /[^\x00-\x7f]/;
/** What folds to one letter: Latin-1 Supplement, Extended-A, Extended-B, Extended Additional, full-width forms, Greek, `ё`. */
const LETTERS =
  '\\u00c0-\\u024f\\u1e00-\\u1eff\\uff10-\\uff19\\uff41-\\uff5a\\u0390\\u03ac-\\u03b0\\u03c2\\u03ca-\\u03ce\\u1f00-\\u1fff\\u0451';
const ALL_LETTERS = new RegExp(`[${LETTERS}]`, 'g');
/** Hebrew points, Arabic vowel signs and tatweel. */
const VOWELS = '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670';
/** What folds to another length: ligatures, marks behind a letter, vowels. */
const RESIZING = `\\u0300-\\u036f\\u00df\\u00e6\\u00fe\\u0153\\ufb00-\\ufb06${VOWELS}`;
const RESIZED = new RegExp(`[${RESIZING}]`);
/** Either of them. Most text beyond ASCII has none (dashes, emoji, other scripts): one look instead of two. */
const FOLDED = new RegExp(`[${LETTERS}${RESIZING}]`);
const ALL_RESIZED = new RegExp(
  `[\\u00df\\u00e6\\u00fe\\u0153\\ufb00-\\ufb06]|[\\u0300-\\u036f]+|[${VOWELS}]+`,
  'g',
);
const STROKED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i', ς: 'σ' };
const LIGATURES: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  þ: 'th',
  œ: 'oe',
  ﬀ: 'ff',
  ﬁ: 'fi',
  ﬂ: 'fl',
  ﬃ: 'ffi',
  ﬄ: 'ffl',
  ﬅ: 'st',
  ﬆ: 'st',
};
const bases = new Map<string, string>();

/** Folds for comparing; offsets into the result mean nothing in the source. */
export function fold(text: string): string {
  return foldWithOffsets(text).text;
}

/** As {@link fold}, and returns the source offset of each folded character. Linear; ASCII is nearly free. */
export function foldWithOffsets(text: string): FoldedText {
  let lower = text.toLowerCase();
  if (!NON_ASCII.test(lower)) return { text: lower, offsets: undefined };
  // The one letter whose lower case has another length (a dotted capital I); it would shift offsets.
  if (lower.length !== text.length) lower = text.replace(/\u0130/g, 'i').toLowerCase();
  if (lower.length !== text.length) return slowFold(text);
  if (!FOLDED.test(lower)) return { text: lower, offsets: undefined };
  const folded = lower.replace(ALL_LETTERS, baseLetter);
  return RESIZED.test(folded) ? resized(folded) : { text: folded, offsets: undefined };
}

/** Unicode composition without folding, for case-sensitive comparison. */
export function compose(text: string): string {
  return NON_ASCII.test(text) ? text.normalize('NFC') : text;
}

function baseLetter(char: string): string {
  let base = bases.get(char);
  if (base === undefined) {
    const stripped = char.normalize('NFKD').replace(/[\u0300-\u036f]+/g, '');
    base = STROKED[char] ?? (stripped.length === 1 ? stripped : char);
    bases.set(char, base);
  }
  return base;
}

/** Replaces what folds to another length and keeps the offsets. */
function resized(folded: string): FoldedText {
  const pieces: string[] = [];
  const places: { at: number; length: number; copied: boolean }[] = [];
  let from = 0;
  const put = (text: string, at: number, copied: boolean): void => {
    if (text === '') return;
    pieces.push(text);
    places.push({ at, length: text.length, copied });
  };
  for (const match of folded.matchAll(ALL_RESIZED)) {
    const [whole] = match;
    const replacement = replacementOf(whole, folded.charAt(match.index - 1));
    if (replacement === undefined) continue;
    put(folded.slice(from, match.index), from, true);
    put(replacement, match.index, false);
    from = match.index + whole.length;
  }
  put(folded.slice(from), from, true);
  const text = pieces.join('');
  const offsets = new Uint32Array(text.length + 1);
  let length = 0;
  for (const place of places) {
    for (let unit = 0; unit < place.length; unit += 1) {
      offsets[length] = place.copied ? place.at + unit : place.at;
      length += 1;
    }
  }
  offsets[length] = folded.length;
  return { text, offsets };
}

/** undefined for marks that stay: those behind anything but a Latin or Greek letter, or `е`. */
function replacementOf(source: string, before: string): string | undefined {
  const code = source.charCodeAt(0);
  if (code >= 0x300 && code <= 0x36f)
    return /[a-z\u03b1-\u03c9]/.test(before) || (before === 'е' && source === '\u0308') ? '' : undefined;
  if (code >= 0x591 && code <= 0x670) return '';
  return LIGATURES[source] ?? source;
}

/** Character by character, for text in which lower-casing changes lengths. */
function slowFold(source: string): FoldedText {
  const offsets: number[] = [];
  let text = '';
  let at = 0;
  for (const char of source) {
    const folded = fold(
      char
        .toLowerCase()
        .normalize('NFC')
        .replace(/\u0307/g, ''),
    );
    for (let unit = 0; unit < folded.length; unit += 1) offsets.push(at);
    text += folded;
    at += char.length;
  }
  offsets.push(at);
  return { text, offsets: Uint32Array.from(offsets) };
}
