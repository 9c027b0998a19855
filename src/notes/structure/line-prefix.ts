/** Markers of quotes, list items and footnotes at the start of a line. */
const LINE_PREFIX = /(?:^\ufeff?|[\r\n])((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]\r\n]+\]:)*)$/;
const MAX_PREFIX = 200;

/**
 * The text before the offset on its line if it is only markers of quotes, list items and footnotes; else
 * undefined.
 */
export function linePrefix(text: string, offset: number): string | undefined {
  const from = Math.max(0, offset - MAX_PREFIX);
  const found = LINE_PREFIX.exec(text.slice(from, offset));
  // At the start of the excerpt, `^` is not the start of a line.
  if (found === null || (from > 0 && found.index === 0 && !/^[\r\n]/.test(found[0]))) return undefined;
  return found[1] ?? '';
}
