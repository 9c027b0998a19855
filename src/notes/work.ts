/** Reading a character of front matter takes as long as reading this many of the body. */
const FRONTMATTER_FACTOR = 20;

/**
 * About how much work it is to parse a note, in characters of plain body text.
 * @param enough a result of this much is as good as any larger one
 */
export function workOf(text: string, enough = Number.POSITIVE_INFINITY): number {
  if (text.length >= enough) return text.length;
  return text.length + (FRONTMATTER_FACTOR - 1) * frontmatterLength(text);
}

function frontmatterLength(text: string): number {
  if (!/^\uFEFF?---/.test(text)) return 0;
  const end = text.indexOf('\n---', 3);
  return end === -1 ? 0 : end;
}

/** Thrown when there is more to do than may be done here: to be done elsewhere, from the beginning. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** A place that an edit changes takes as long as parsing this many characters. */
const PLACE = 50;

/** Keeps count of the text that is parsed, and of the places that are changed, for one piece of work. */
export class WorkLimit {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** @throws TooMuchWork when this text and those before it are more than the limit */
  parse(text: string): void {
    if (this.#left !== Number.POSITIVE_INFINITY) this.#spend(workOf(text, this.#left + 1));
  }

  /** @throws TooMuchWork */
  change(places: number): void {
    this.#spend(PLACE * places);
  }

  #spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
