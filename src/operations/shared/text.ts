/** Cutting text by UTF-16 offsets without ever splitting a surrogate pair. */

/** True when `offset` stands between the two halves of one character. */
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
 * The window of at most `max` units that starts at `offset`, moved so that both ends stand between
 * characters. Windows that follow each other by `end` cover the text without gap or overlap.
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

/** At most `max` units, `…` included when something was cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, textWindow(text, 0, Math.max(max - 1, 1)).end)}…`;
}

/** Bytes of the character at `at` in UTF-8: half a character alone is written as a replacement of three. */
function characterBytes(text: string, at: number): 1 | 2 | 3 | 4 {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return splitsPair(text, at + 1) ? 4 : 3;
}

/**
 * Bytes of a text in UTF-8, as `Buffer.byteLength` counts them; for a text as short as a name that call costs several
 * times as much as the counting.
 *
 * @param end counts what stands before it only
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

/** At most `max` bytes of UTF-8, `…` included when something was cut. */
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
 * At most `max` bytes that still show `mark`, with a little of what stands before it: cut in front, at a
 * space where there is one, when the mark would not fit otherwise. Marks stand in pairs: one that the cut leaves
 * open is closed before it.
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
  // Half of the mark that closes it may be there already.
  const marked = shorter
    .slice(opening + mark.length)
    .replace(/[*]+$/, '')
    .trimEnd();
  if (marked !== '') return `${shorter.slice(0, opening)}${mark}${marked}${mark}…`;
  return opening === cut.indexOf(mark) ? cut : `${cut.slice(0, opening).trimEnd()}…`;
}
