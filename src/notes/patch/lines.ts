import type { Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import type { Eol } from '../text.ts';

const BREAK = /\r\n?|\n/g;

/**
 * Prepares text for insertion: it gets the note's line endings and loses a BOM, which may only start a file.
 */
export function inserted(markdown: string, eol: Eol): string {
  const text = markdown.charCodeAt(0) === 0xfeff ? markdown.slice(1) : markdown;
  return text.replace(BREAK, eol);
}

/** Removes blank lines at both ends and the last line's EOL. The first line's indentation stays. */
export function withoutBlankEdges(markdown: string): string {
  const text = withoutBlankEnd(markdown);
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) start = at + 1;
    else if (!isBlank(code)) break;
  }
  return text.slice(start);
}

/** Removes blank lines at the end and the last line's EOL. Spaces at the end of the last line stay. */
export function withoutBlankEnd(markdown: string): string {
  let end = markdown.length;
  for (let at = markdown.length - 1; at >= 0; at--) {
    const code = markdown.charCodeAt(at);
    if (isBreak(code)) end = at;
    else if (!isBlank(code)) return markdown.slice(0, end);
  }
  return '';
}

/** Whether the line before `offset`, which starts a line, is blank; false at the start of the text. */
export function blankLineBefore(text: string, offset: number): boolean {
  let at = offset - 1;
  if (!isBreak(text.charCodeAt(at))) return false;
  if (text.startsWith('\r\n', at - 1)) at--;
  for (at--; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) return true;
    if (!isBlank(code)) return false;
  }
  return true;
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Whether `offset` is the start of a line: at the start of the text, after a BOM or after an EOL. */
export function startsLine(text: string, offset: number): boolean {
  if (offset === 0 || (offset === 1 && text.charCodeAt(0) === 0xfeff)) return true;
  return isBreak(text.charCodeAt(offset - 1));
}

interface Line {
  readonly start: number;
  readonly content: string;
}

/**
 * Replaces the lines of `span`, which ends before its last EOL, by those of `markdown`. Equal lines at both
 * ends are not replaced, so that they keep their line endings.
 */
export function replaceLines(text: string, span: Span, markdown: string, eol: Eol): readonly Splice[] {
  const old = linesOf(text.slice(span.start, span.end));
  const now = linesOf(markdown).map(({ content }) => content);
  const shortest = Math.min(old.length, now.length);
  let prefix = 0;
  while (prefix < shortest && old[prefix]?.content === now[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shortest - prefix && old.at(-1 - suffix)?.content === now.at(-1 - suffix)) suffix++;
  if (prefix === old.length && prefix === now.length) return [];

  const middle = now.slice(prefix, now.length - suffix);
  if (suffix > 0) {
    const start = span.start + (old[prefix]?.start ?? 0);
    const end = span.start + (old.at(-suffix)?.start ?? 0);
    return [{ start, end, insert: middle.map((line) => line + eol).join('') }];
  }
  // No lines are equal at the end, so the EOL before the changed lines is part of the change.
  const kept = old[prefix - 1];
  if (kept === undefined) return [{ start: span.start, end: span.end, insert: middle.join(eol) }];
  if (middle.length === 0 || prefix === old.length) {
    const start = span.start + kept.start + kept.content.length;
    return [{ start, end: span.end, insert: middle.map((line) => eol + line).join('') }];
  }
  return [{ start: span.start + (old[prefix]?.start ?? 0), end: span.end, insert: middle.join(eol) }];
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(BREAK)) {
    lines.push({ start, content: text.slice(start, match.index) });
    start = match.index + match[0].length;
  }
  lines.push({ start, content: text.slice(start) });
  return lines;
}
