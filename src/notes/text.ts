/**
 * Lossless conversion between bytes and text: the BOM, line endings and a final newline are part of the text.
 */

export type DecodedText =
  | { readonly ok: true; readonly text: string }
  /** `offset` is where the bytes stop being valid UTF-8; their length when they end within a character. */
  | { readonly ok: false; readonly offset: number };

export type Eol = '\n' | '\r\n' | '\r';

const BOM = 0xfeff;

/** Decodes strict UTF-8; a BOM is kept as U+FEFF. Invalid input is reported and never replaced. */
export function decodeText(bytes: Uint8Array): DecodedText {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { ok: false, offset: firstInvalidByte(bytes) };
  }
}

/** Encodes a text as UTF-8, including its BOM. The inverse of {@link decodeText}. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The offset at which a text's content starts: 1 with a BOM, else 0. */
export function bomLength(text: string): 0 | 1 {
  return text.charCodeAt(0) === BOM ? 1 : 0;
}

/** The most frequent line ending of a text; on a tie the one that occurs first; LF for a text of one line. */
export function detectEol(text: string): Eol {
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  let first: Eol | undefined;
  for (const [ending] of text.matchAll(/\r\n?|\n/g)) {
    first ??= ending as Eol;
    if (ending === '\n') lf += 1;
    else if (ending === '\r\n') crlf += 1;
    else cr += 1;
  }
  const most = Math.max(lf, crlf, cr);
  const counts: Record<Eol, number> = { '\n': lf, '\r\n': crlf, '\r': cr };
  if (first !== undefined && counts[first] === most) return first;
  if (most === crlf && crlf > 0) return '\r\n';
  if (most === cr && cr > 0) return '\r';
  return '\n';
}

/** The line ending to insert. CR only when the text has no other, as CR before an LF would become a CRLF. */
export function eolToInsert(text: string): Eol {
  const eol = detectEol(text);
  if (eol !== '\r' || !text.includes('\n')) return eol;
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The first `length` UTF-16 code units of a text, one less where a surrogate pair would be split. */
export function cutText(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** The 1-based line and column of an offset; lines end at LF. For many offsets use {@link LineIndex}. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Maps offsets to lines and back in O(log n). A line ends at LF, CRLF or CR, as in CommonMark. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: number[];

  constructor(text: string) {
    this.#text = text;
    this.#starts = lineStarts(text);
  }

  /** Number of lines; a final newline starts one more, empty line. */
  get count(): number {
    return this.#starts.length;
  }

  /** The 1-based line that contains the offset; offsets outside the text give the first or last line. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** Offset of a 1-based line's first character; the text's length for a line past the end. */
  startOf(line: number): number {
    return line < 1 ? 0 : (this.#starts[line - 1] ?? this.#text.length);
  }

  /** Offset just after a 1-based line's last character, before its line ending. */
  endOf(line: number): number {
    const next = this.#starts[line];
    if (next === undefined) return this.#text.length;
    const lf = this.#text.charCodeAt(next - 1) === 0x0a;
    return lf && this.#text.charCodeAt(next - 2) === 0x0d ? next - 2 : next - 1;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  if (!text.includes('\r')) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    return starts;
  }
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** The length of the longest prefix that a streaming decoder accepts, found by bisection. */
function firstInvalidByte(bytes: Uint8Array): number {
  const accepts = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let low = 0;
  let high = bytes.length + 1;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (accepts(middle)) low = middle;
    else high = middle;
  }
  return low;
}
