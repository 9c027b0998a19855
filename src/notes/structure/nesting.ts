/**
 * Quotes and lists that open inside one another on one line: the parser needs time with the square of their number,
 * and cannot be stopped. Beyond what any writer nests they are put out of its sight and are text.
 */

/** Containers that one line may open. */
const DEEPEST = 100;
const CONTAINER = /(?:>[ \t]*|[-+*][ \t]+|\d{1,9}[.)][ \t]+)/;
const DEEP_LINE = new RegExp(`^([ \\t]*${CONTAINER.source}{${DEEPEST}})((?:${CONTAINER.source})+)`, 'gm');
/** A noncharacter, which no text may hold. */
const STAND_IN = '\ufdd3';

/** Hides the markers of containers that lie too deep; the length stays. */
export function limitNesting(source: string): string {
  if (!hasLongRun(source)) return source;
  return source.replace(
    DEEP_LINE,
    (_, kept: string, deep: string) => kept + deep.replace(/[^ \t]/g, STAND_IN),
  );
}

const OF_CONTAINERS = new Set([...'>-+*0123456789.) \t'].map((char) => char.charCodeAt(0)));

/**
 * Whether somewhere as many characters follow one another as so many containers have at least. Almost no text has
 * that, and looking at every hundredth character tells: trying the pattern on every line takes a tenth of a parse.
 */
function hasLongRun(source: string): boolean {
  const isOne = (at: number) => OF_CONTAINERS.has(source.charCodeAt(at));
  for (let at = DEEPEST - 1; at < source.length; at += DEEPEST) {
    if (!isOne(at)) continue;
    let start = at;
    let end = at + 1;
    while (at - start < DEEPEST && isOne(start - 1)) start -= 1;
    while (end - start < DEEPEST && isOne(end)) end += 1;
    if (end - start >= DEEPEST) return true;
  }
  return false;
}
