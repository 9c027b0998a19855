/**
 * Limit of nested brackets, those in texts included, or of marks at the start of one line; real notes have a
 * tenth of it at most. The YAML parser's time grows at least with the square of the nesting, and it cannot be
 * stopped.
 */
export const MAX_LEVELS = 200;

/** A line that opens a list or a map in a list or a map, and so on: `- - - : ? a`. */
const COMPACT = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${MAX_LEVELS}}`, 'm');

/** Position at which a YAML text nests too deeply to be parsed. */
export function nestsTooDeepAt(source: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charCodeAt(at);
    if (char === OPEN_LIST || char === OPEN_MAP) depth += 1;
    else if ((char === CLOSE_LIST || char === CLOSE_MAP) && depth > 0) depth -= 1;
    if (depth > MAX_LEVELS) return at;
  }
  return COMPACT.exec(source)?.index;
}

const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];
