import { isUtf8 } from 'node:buffer';

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'bad'; readonly reason: 'too_long' | 'not_utf8' };

const LF = 0x0a;

/**
 * Splits a byte stream into lines. A line that is too long or not UTF-8 is reported once and skipped; the
 * following lines are read normally.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: Line) => void;
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;

  constructor(maxBytes: number, onLine: (line: Line) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      this.#append(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
  }

  /** A last line without a newline still counts. */
  end(): void {
    this.#endLine();
  }

  #append(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#parts = [];
      this.#skipping = true;
      return;
    }
    this.#parts.push(part);
  }

  #endLine(): void {
    const parts = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped) {
      this.#onLine({ kind: 'bad', reason: 'too_long' });
      return;
    }
    const only = parts[0];
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    if (bytes.length === 0) return;
    if (!isUtf8(bytes)) {
      this.#onLine({ kind: 'bad', reason: 'not_utf8' });
      return;
    }
    const text = bytes.toString('utf8').trim();
    if (text !== '') this.#onLine({ kind: 'line', text });
  }
}
