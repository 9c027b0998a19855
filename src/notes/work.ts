/** Most work of a parse besides reading the text once, in characters of plain text; takes some seconds. */
const MAX_EXTRA_WORK = 20_000_000;
/** A shorter text, UTF-16 code units, cannot take that much. */
const HARMLESS_LENGTH = 80_000;

/**
 * Whether parsing a note would take too long: the parser takes minutes for lines of hundreds of kilobytes that
 * are full of marks and not ASCII only. Notes that people write are far below the limit.
 */
export function isTooMuchWork(text: string): boolean {
  if (text.length < HARMLESS_LENGTH) return false;
  return commentWork(text) + footnoteWork(text) + longLineWork(text, NOT_ASCII) > MAX_EXTRA_WORK;
}

const MAX_COMMENT_PASSES = 50;
const MAX_COMMENT_WORK = 1_000_000;
const LONG_LINE = 1000;
const NOT_ASCII = /[^\p{ASCII}]/u;
const LINE_MARKS = /[*_~`$<>[\]&\\:@.]|\/\//g;
/** The product of a line's characters and marks that takes as long as one character. */
const LINE_MARK = 800;

/** Number of body characters that take as long as one character of front matter. */
const FRONTMATTER_FACTOR = 20;

/**
 * Estimates the work of parsing a note, in characters of plain body text.
 *
 * @param enough the estimate may stop at this value
 */
export function workOf(text: string, enough = Number.POSITIVE_INFINITY): number {
  if (text.length >= enough) return text.length;
  const work = text.length + (FRONTMATTER_FACTOR - 1) * frontmatterLength(text) + commentWork(text);
  return work >= enough ? work : work + footnoteWork(text) + longLineWork(text);
}

/** The work of comments, for which a text is parsed again; short texts may be parsed many times. */
function commentWork(text: string): number {
  let passes = 0;
  for (let at = text.indexOf('%%'); at !== -1 && passes < MAX_COMMENT_PASSES; at = text.indexOf('%%', at + 2))
    passes += 0.5;
  return Math.min(passes * text.length, MAX_COMMENT_WORK);
}

/** The work of footnotes: for each reference the parser searches the text above. */
function footnoteWork(text: string): number {
  let references = 0;
  for (let at = text.indexOf('[^'); at !== -1; at = text.indexOf('[^', at + 2)) references += 1;
  return (text.length * references) / LINE_MARK;
}

/**
 * The work of long lines: for each mark of a line that is not ASCII only, the parser's time is proportional to
 * the line's length.
 *
 * @param only counts lines that match it
 */
function longLineWork(text: string, only = /(?:)/): number {
  let work = 0;
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at === -1 ? text.length : at;
    if (end - start > LONG_LINE) {
      const line = text.slice(start, end);
      const marks = only.test(line) ? (line.match(LINE_MARKS)?.length ?? 0) : 0;
      work += (line.length * marks) / LINE_MARK;
    }
    start = end + 1;
  }
  return work;
}

function frontmatterLength(text: string): number {
  if (!/^\uFEFF?---/.test(text)) return 0;
  const end = text.indexOf('\n---', 3);
  return end === -1 ? 0 : end;
}

/** Thrown when work exceeds the limit of this thread; the caller starts it again in another thread. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

/** Number of parsed characters that take as long as changing one place. */
const PLACE = 50;

/** Limits the text that is parsed and the places that are changed during one call. */
export class WorkLimit {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Charges the parsing of a text. @throws TooMuchWork when the limit is exceeded */
  parse(text: string): void {
    if (this.#left !== Number.POSITIVE_INFINITY) this.#spend(workOf(text, this.#left + 1));
  }

  /** Charges the changing of places. @throws TooMuchWork when the limit is exceeded */
  change(places: number): void {
    this.#spend(PLACE * places);
  }

  #spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new TooMuchWork();
  }
}
