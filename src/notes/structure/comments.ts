import type { Span } from '../model.ts';
import { spanAt } from '../spans.ts';

const COMMENT_LINE = /(?:^|[\r\n])[ \t>]*%%/g;

/**
 * Obsidian's block comments: a line that starts with `%%`, up to the next `%%` on a later line,
 * whatever stands between. Comments on one line are left to the inline scanner; one that is never
 * closed is text.
 * @param opaque code and HTML, in which no comment starts
 */
export function blockComments(text: string, from: number, opaque: readonly Span[]): readonly Span[] {
  const comments: Span[] = [];
  COMMENT_LINE.lastIndex = from;
  for (let match = COMMENT_LINE.exec(text); match !== null; match = COMMENT_LINE.exec(text)) {
    const start = match.index + match[0].length - 2;
    if (spanAt(opaque, start) !== undefined) continue;
    const close = text.indexOf('%%', start + 2);
    if (close < 0) break;
    const end = close + 2;
    if (/[\r\n]/.test(text.slice(start, close))) comments.push({ start, end });
    COMMENT_LINE.lastIndex = end;
  }
  return comments;
}

/** The text with the spans blanked out; offsets and line endings stay. */
export function blank(text: string, spans: readonly Span[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\r\n]/g, ' ');
    at = end;
  }
  return result + text.slice(at);
}
