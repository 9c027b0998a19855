/** Cutting text by UTF-16 offsets without ever splitting a surrogate pair. */

/** True when `offset` is between the two halves of a surrogate pair. */
function splitsPair(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return false;
  return isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * The window of at most `max` code units that starts at `offset`, moved so that it splits no character.
 * Consecutive windows, each starting at the `end` of the previous one, cover the text without gap or overlap.
 *
 * @returns half-open `[start, end)`; never empty before the end of the text
 */
export function textWindow(text: string, offset: number, max: number): { start: number; end: number } {
  const wanted = Math.min(Math.max(offset, 0), text.length);
  const start = splitsPair(text, wanted) ? wanted - 1 : wanted;
  let end = Math.min(start + Math.max(max, 1), text.length);
  if (splitsPair(text, end)) end = end - 1 > start ? end - 1 : end + 1;
  return { start, end };
}

/** At most `max` code units, including the `…` of a cut text. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, textWindow(text, 0, Math.max(max - 1, 1)).end)}…`;
}

/**
 * Length in UTF-8 of the character at `at`, bytes; an unpaired surrogate is encoded as a replacement
 * character of three.
 */
function characterBytes(text: string, at: number): 1 | 2 | 3 | 4 {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return splitsPair(text, at + 1) ? 4 : 3;
}

/**
 * Length of a text in UTF-8, bytes, as `Buffer.byteLength`, which is several times slower for a text as short
 * as a name.
 *
 * @param end counts only the text before this offset
 */
export function byteLength(text: string, end = text.length): number {
  let bytes = 0;
  for (let at = 0; at < end; ) {
    const size = characterBytes(text, at);
    bytes += size;
    at += size === 4 ? 2 : 1;
  }
  return bytes;
}

const ELLIPSIS_BYTES = 3;

/** At most `max` bytes of UTF-8, including the `…` of a cut text. */
export function clipBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= max) return text;
  let room = Math.max(0, max - ELLIPSIS_BYTES);
  if (bytes === text.length) return `${text.slice(0, room)}…`;
  let end = 0;
  for (let size = characterBytes(text, 0); size <= room; size = characterBytes(text, end)) {
    room -= size;
    end += size === 4 ? 2 : 1;
  }
  return `${text.slice(0, end)}…`;
}

/**
 * At most `max` bytes of UTF-8 that still contain `mark` with some text before it: the start is cut, at a
 * space where possible, when the mark would not fit otherwise. Marks come in pairs: one that the cut leaves
 * open is closed.
 */
export function clipAround(text: string, mark: string, max: number): string {
  const at = text.indexOf(mark);
  const before = at < 0 ? 0 : byteLength(text, at);
  if (Buffer.byteLength(text) <= max) return text;
  if (before <= max / 3) return closed(text, mark, max);
  const space = text.indexOf(' ', Math.max(0, at - Math.floor(max / 4)));
  const start = space >= 0 && space < at ? space + 1 : at;
  return closed(`…${text.slice(start)}`, mark, max);
}

function closed(text: string, mark: string, max: number): string {
  const cut = clipBytes(text, max);
  const isOpen = (part: string): boolean => part.split(mark).length % 2 === 0;
  if (cut === text || !isOpen(cut) || isOpen(text)) return cut;
  const shorter = clipBytes(text, max - mark.length).slice(0, -1);
  const opening = cut.lastIndexOf(mark);
  // The cut may have left half of the closing mark.
  const marked = shorter
    .slice(opening + mark.length)
    .replace(/[*]+$/, '')
    .trimEnd();
  if (marked !== '') return `${shorter.slice(0, opening)}${mark}${marked}${mark}…`;
  return opening === cut.indexOf(mark) ? cut : `${cut.slice(0, opening).trimEnd()}…`;
}
