/**
 * Quotes and lists nested on one line take the parser quadratic time, and it cannot be interrupted. Markers
 * beyond a depth that nobody writes are hidden from it and are text.
 */

/** Most containers that one line may open. */
const MAX_DEPTH = 100;
const CONTAINER = /(?:>[ \t]*|[-+*][ \t]+|\d{1,9}[.)][ \t]+)/;
const DEEP_LINE = new RegExp(`^([ \\t]*${CONTAINER.source}{${MAX_DEPTH}})((?:${CONTAINER.source})+)`, 'gm');
/** A noncharacter, which texts should not contain. */
const STAND_IN = '\ufdd3';

/** Hides the markers of containers that are too deep; the length stays. */
export function limitNesting(source: string): string {
  if (!hasLongRun(source)) return source;
  return source.replace(
    DEEP_LINE,
    (_, kept: string, deep: string) => kept + deep.replace(/[^ \t]/g, STAND_IN),
  );
}

const OF_CONTAINERS = new Set([...'>-+*0123456789.) \t'].map((char) => char.charCodeAt(0)));

/**
 * Whether the text has a run of marker characters as long as that many containers at least. Almost no text has
 * one, and testing every hundredth character finds it; trying the pattern on every line takes a tenth of a
 * parse.
 */
function hasLongRun(source: string): boolean {
  const isOne = (at: number) => OF_CONTAINERS.has(source.charCodeAt(at));
  for (let at = MAX_DEPTH - 1; at < source.length; at += MAX_DEPTH) {
    if (!isOne(at)) continue;
    let start = at;
    let end = at + 1;
    while (at - start < MAX_DEPTH && isOne(start - 1)) start -= 1;
    while (end - start < MAX_DEPTH && isOne(end)) end += 1;
    if (end - start >= MAX_DEPTH) return true;
  }
  return false;
}
