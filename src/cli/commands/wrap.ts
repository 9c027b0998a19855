import { displayWidth } from './table.ts';

/** The width of a terminal; one of unknown size reports 0 columns or none and counts as 80. */
export function terminalWidth(columns: number | undefined): number {
  return columns || 80;
}

/**
 * Wraps lines between words.
 *
 * @param width columns; undefined = no wrapping
 * @param indent is put before every continuation line
 */
export function wrapped(text: string, width: number | undefined, indent = ''): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => wrappedLine(line, width, indent))
    .join('\n');
}

function wrappedLine(line: string, width: number, indent: string): string {
  if (displayWidth(line) <= width) return line;
  const lines: string[] = [];
  let current = '';
  for (const [word] of line.matchAll(/\s*\S+/g)) {
    if (current === '' || displayWidth(current + word) <= width) {
      current += word;
      continue;
    }
    lines.push(current);
    current = indent + word.trimStart();
  }
  return [...lines, current].join('\n');
}
