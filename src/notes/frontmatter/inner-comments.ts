import type { Span } from '../model.ts';

/** A line of a block, blank or a comment, with its indentation and its EOL. */
const LINE = /([ \t]*)(#[^\n]*)?\r?\n/y;

/**
 * The end of a pair with the comments below it that belong to its value: those indented deeper than its key,
 * when the value has lines of its own or is empty. Blank lines between them are included, trailing ones are
 * not.
 *
 * @param pair its lines, with the last one's EOL
 * @param indent columns in front of its key
 * @param limit the end of the block
 */
export function endWithComments(text: string, pair: Span, indent: number, limit: number): number {
  const lines = text.slice(pair.start, pair.end).trimEnd();
  if (!lines.includes('\n') && !/:(?:\s+[#&!].*)?$/.test(lines)) return pair.end;
  let { end } = pair;
  for (let line = end; line < limit; line = LINE.lastIndex) {
    LINE.lastIndex = line;
    const [, blanks = '', comment] = LINE.exec(text) ?? [];
    if (LINE.lastIndex === 0 || LINE.lastIndex > limit) break;
    if (comment === undefined) continue;
    if (blanks.length <= indent) break;
    end = LINE.lastIndex;
  }
  return end;
}
