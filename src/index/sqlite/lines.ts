export const NOT_ASCII = /[^\0-\x7f]/;
const NEXT_NOT_ASCII = /[^\0-\x7f]/g;

/**
 * Splits a text into lines with characters outside ASCII and the ASCII stretches between them, in order and
 * without gaps. Line feeds belong to the stretches. Only the lines need the slow Unicode patterns.
 *
 * @param ascii is called with each ASCII stretch
 * @param line is called with each other line
 */
export function byLines(text: string, ascii: (stretch: string) => void, line: (line: string) => void): void {
  let from = 0;
  while (from < text.length) {
    NEXT_NOT_ASCII.lastIndex = from;
    if (!NEXT_NOT_ASCII.test(text)) break;
    const at = NEXT_NOT_ASCII.lastIndex - 1;
    const start = text.lastIndexOf('\n', at) + 1;
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    if (start > from) ascii(text.slice(from, start));
    line(text.slice(start, end));
    from = end;
  }
  if (from < text.length) ascii(text.slice(from));
}
