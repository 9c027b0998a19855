/**
 * Sizes of passages and of their overlap, UTF-16 code units, by Joplin's rule: 500 tokens, a tenth of them
 * shared.
 */
const PLAIN = { size: 1750, shared: 175 };
const DENSE = { size: 600, shared: 60 };
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const DENSE_SHARE = 0.3;

export interface Chunk {
  readonly index: number;
  readonly text: string;
}

/**
 * The passage that contains a line of a note. Passages are windows of one size over the trimmed body, as in
 * Joplin; the first one begins with the title, twice.
 *
 * @param line 1-based in the body; a line before it is in the first passage
 */
export function chunkAt(title: string, body: string, line: number): Chunk {
  const lead = body.length - body.trimStart().length;
  const text = body.trim();
  const { size, shared } = isDense(text) ? DENSE : PLAIN;
  const step = size - shared;
  const at = Math.min(Math.max(offsetOf(body, line) - lead, 0), Math.max(text.length - 1, 0));
  const last = text.length <= size ? 0 : Math.ceil((text.length - size) / step);
  const index = Math.min(Math.floor(at / step), last);
  const own = text.slice(index * step, index * step + size);
  if (index > 0) return { index, text: own };
  if (title.trim() === '') return { index, text: own };
  return { index, text: own === '' ? title : `${title}\n\n${title}\n\n${own}` };
}

function isDense(text: string): boolean {
  return text !== '' && (text.match(DENSE_SCRIPT)?.length ?? 0) / text.length >= DENSE_SHARE;
}

function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let left = line; left > 1; left -= 1) {
    const feed = text.indexOf('\n', at);
    if (feed < 0) break;
    at = feed + 1;
  }
  return at;
}
