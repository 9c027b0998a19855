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
  return source.replace(
    DEEP_LINE,
    (_, kept: string, deep: string) => kept + deep.replace(/[^ \t]/g, STAND_IN),
  );
}
