/**
 * Signs that make another word of the word they stand at: `C++`, `C#`, `#12`, `$5`, `.NET`, `R&D`, `A*`. The index has
 * words alone, so they are compared on the notes' own text. Punctuation of sentences and the marks of Markdown around
 * a word (`good.`, `**bold**`, `[[link]]`, `#tag`) are no part of it.
 */

/** Of one word: what has to stand right before and right behind it. */
export interface WordSigns {
  readonly before: string;
  readonly behind: string;
  /** The next word follows without a gap (`R&D`). */
  readonly glued: boolean;
}

/** A cheap look whether a text may have such signs at all. */
const ANY_SIGN = /[+#&$@%*§±\p{Sc}]|(?:^|[\s([{])(?:\.|-{1,2})[\p{L}\p{N}]/u;
const BETWEEN = /^[+#&$@%*]+$/;
const BEHIND = /^(?:[+#%\p{Sc}]+|\*(?!\*))/u;
/** Before a word, at the beginning, behind white space or an opening bracket. */
const BEFORE = /(?:^|[\s([{])(\+|@|\.|-{1,2}|[$§±\p{Sc}])$/u;
const NUMBER_BEFORE = /(?:^|[\s([{])#$/;

/**
 * The signs at each word of a text; undefined when it has none.
 * @param words the text's words with their places, in order
 */
export function signsOf(
  text: string,
  words: readonly { readonly start: number; readonly end: number }[],
): readonly WordSigns[] | undefined {
  if (!ANY_SIGN.test(text)) return undefined;
  let before = beforeWord(text, 0, words[0]?.start ?? 0);
  let found = false;
  const signs = words.map(({ end }, at) => {
    const next = words[at + 1];
    const gap = text.slice(end, next?.start);
    const glued = next !== undefined && BETWEEN.test(gap);
    const sign = { before, behind: glued ? gap : behindWord(gap, text, end), glued };
    before = glued || next === undefined ? '' : beforeWord(text, end, next.start);
    found ||= sign.before !== '' || sign.behind !== '';
    return sign;
  });
  return found ? signs : undefined;
}

/** @param end of the word before, or 0 */
function beforeWord(text: string, end: number, start: number): string {
  // With the end of the word before, so that what is stuck to it does not count.
  const gap = text.slice(Math.max(0, end - 1), start);
  // A letter behind `#` makes a tag of it.
  if (NUMBER_BEFORE.test(gap)) return /\p{N}/u.test(text.charAt(start)) ? '#' : '';
  return BEFORE.exec(gap)?.[1] ?? '';
}

function behindWord(gap: string, text: string, end: number): string {
  const signs = BEHIND.exec(gap)?.[0] ?? '';
  return signs === '*' && closesEmphasis(text, end) ? '' : signs;
}

/** Whether `signs` stand at the word `[start, end)` of a text just as they are, and no more of the same. */
export function haveSigns(text: string, start: number, end: number, signs: WordSigns): boolean {
  const { before, behind, glued } = signs;
  if (before !== '' && !standsBefore(text, start, before)) return false;
  if (behind === '') return true;
  if (!text.startsWith(behind, end)) return false;
  if (glued) return true;
  const next = text.charAt(end + behind.length);
  if (next === behind.at(-1) || /\p{L}/u.test(next)) return false;
  return behind !== '*' || !closesEmphasis(text, end);
}

function standsBefore(text: string, start: number, signs: string): boolean {
  const at = start - signs.length;
  if (at < 0 || !text.startsWith(signs, at)) return false;
  const previous = text.charAt(at - 1);
  if (previous === signs.charAt(0)) return false;
  // `US$5` has `$5` in it; `ASP.NET`, `me@home` and `pre-war` are other words.
  return !/^[.@+-]/.test(signs) || !/[\p{L}\p{N}]/u.test(previous);
}

/** Whether the star at `at` may close an emphasis that one on the same line has opened. */
function closesEmphasis(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
  return /(?:^|[^\p{L}\p{N}*])\*+(?=[^\s*])/u.test(line);
}
