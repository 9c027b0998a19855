import { type StructuredPatch, structuredPatch } from 'diff';

export interface DiffOptions {
  /** Unchanged lines shown around a change. Default 2. */
  readonly context?: number;
  /** Lines of output at most. Default 60. */
  readonly maxLines?: number;
  /** UTF-16 units of one shown line at most. Default 300. */
  readonly maxLineLength?: number;
}

export interface UnifiedDiff {
  /** Hunks in unified format, without file headers or a final line break. Empty when nothing changed. */
  readonly text: string;
  /** Total number of lines added, including those cut from `text`. */
  readonly added: number;
  readonly removed: number;
  /** True when `text` does not show everything; its last line, or a `…` inside a line, then says so. */
  readonly cut: boolean;
}

/** Edit distance above which a minimal diff is not worth its quadratic time; the region is shown as replaced. */
const MAX_EDIT_LENGTH = 400;
/** A longer region, in characters, is not aligned: it has too many lines for that, or lines too long to read. */
const MAX_ALIGNED = 1_000_000;

interface Window {
  readonly before: string;
  readonly after: string;
  /** Lines before the window, equal in both texts. */
  readonly skipped: number;
}

/**
 * A short, size-limited line diff of a write for people and agents. Linear in the size of the texts plus the
 * square of the (bounded) number of changed lines.
 */
export function unifiedDiff(before: string, after: string, options: DiffOptions = {}): UnifiedDiff {
  if (before === after) return { text: '', added: 0, removed: 0, cut: false };
  const context = options.context ?? 2;
  const window = changedWindow(before, after, context);
  const isHuge = Math.max(window.before.length, window.after.length) > MAX_ALIGNED;
  const patch =
    (isHuge
      ? undefined
      : structuredPatch('a', 'b', window.before, window.after, undefined, undefined, {
          context,
          maxEditLength: MAX_EDIT_LENGTH,
        })) ?? replacedWhole(window);

  // Line endings are shown only when nothing else differs.
  const showCr = before.includes('\r\n') !== after.includes('\r\n');
  const maxLines = options.maxLines ?? 60;
  const maxLineLength = options.maxLineLength ?? 300;
  const shown: string[] = [];
  let added = 0;
  let removed = 0;
  let total = 0;
  let clipped = false;
  const show = (line: string): void => {
    total++;
    if (shown.length >= maxLines) return;
    const visible = line.endsWith('\r') ? `${line.slice(0, -1)}${showCr ? '␍' : ''}` : line;
    if (visible.length > maxLineLength) clipped = true;
    shown.push(clip(visible, maxLineLength));
  };
  for (const hunk of patch.hunks) {
    // By convention an empty range names the line before it.
    const oldStart = hunk.oldStart + window.skipped - (hunk.oldLines === 0 ? 1 : 0);
    const newStart = hunk.newStart + window.skipped - (hunk.newLines === 0 ? 1 : 0);
    show(`@@ -${oldStart},${hunk.oldLines} +${newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
      show(line);
    }
  }
  const hidden = total - shown.length;
  if (hidden > 0) shown.push(`… ${hidden} more diff ${hidden === 1 ? 'line' : 'lines'} not shown`);
  return { text: shown.join('\n'), added, removed, cut: clipped || hidden > 0 };
}

/** Reduces both texts to the lines that differ, with `context` equal lines on both sides. */
function changedWindow(before: string, after: string, context: number): Window {
  const shortest = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shortest && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  while (
    suffix < shortest - prefix &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) {
    suffix++;
  }
  let start = lineStartBefore(before, prefix);
  for (let line = 0; line < context && start > 0; line++) start = lineStartBefore(before, start - 1);

  let end = lineEndAfter(before, before.length - suffix);
  for (let line = 0; line < context && end < before.length; line++) end = lineEndAfter(before, end);
  const tail = before.length - end;

  let skipped = 0;
  for (let at = before.indexOf('\n'); at !== -1 && at < start; at = before.indexOf('\n', at + 1)) skipped++;
  return { before: before.slice(start, end), after: after.slice(start, after.length - tail), skipped };
}

/** `lastIndexOf` reads a negative position as 0, so the start of the text is handled separately. */
function lineStartBefore(text: string, from: number): number {
  return from <= 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
}

function lineEndAfter(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

/** The diff of texts too different to align: all old lines, then all new ones. */
function replacedWhole(window: Window): Pick<StructuredPatch, 'hunks'> {
  const removed = linesOf(window.before);
  const added = linesOf(window.after);
  return {
    hunks: [
      {
        oldStart: 1,
        oldLines: removed.length,
        newStart: 1,
        newLines: added.length,
        lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
      },
    ],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Shortens a line without splitting a surrogate pair. */
function clip(line: string, length: number): string {
  if (line.length <= length) return line;
  const code = line.charCodeAt(length - 1);
  return `${line.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)}…`;
}
