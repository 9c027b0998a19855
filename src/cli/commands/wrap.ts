import { displayWidth } from './table.ts';

/** A terminal that does not know its size says 0 columns, or nothing: it is taken as one of 80. */
export function terminalWidth(columns: number | undefined): number {
  return columns || 80;
}

/**
 * Breaks lines between words, so that the terminal does not break them within.
 *
 * @param width columns; undefined = nothing is broken
 * @param indent before every line that goes on
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
