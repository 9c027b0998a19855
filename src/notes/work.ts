/** What parsing may take beyond reading the text once, in characters of it: some seconds. */
const MOST_EXTRA_WORK = 20_000_000;
/** A shorter text cannot be as much. */
const HARMLESS_LENGTH = 80_000;

/**
 * Whether parsing the Markdown of a note would take longer than any note is worth: the parser takes minutes over lines of
 * hundreds of kilobytes that are full of marks and not all ASCII. Notes that people write are far from it.
 */
export function isTooMuchWork(text: string): boolean {
  if (text.length < HARMLESS_LENGTH) return false;
  return commentWork(text) + footnoteWork(text) + longLineWork(text, NOT_ASCII) > MOST_EXTRA_WORK;
}

const MAX_COMMENT_PASSES = 50;
const MAX_COMMENT_WORK = 1_000_000;
const LONG_LINE = 1000;
const NOT_ASCII = /[^\p{ASCII}]/u;
const LINE_MARKS = /[*_~`$<>[\]&\\:@.]|\/\//g;
/** Characters and marks of one line, multiplied, that take as long as one character. */
const LINE_MARK = 800;

/** Reading a character of front matter takes as long as reading this many of the body. */
const FRONTMATTER_FACTOR = 20;

/**
 * About how much work it is to parse a note, in characters of plain body text.
 * @param enough a result of this much is as good as any larger one
 */
export function workOf(text: string, enough = Number.POSITIVE_INFINITY): number {
  if (text.length >= enough) return text.length;
  const work = text.length + (FRONTMATTER_FACTOR - 1) * frontmatterLength(text) + commentWork(text);
  return work >= enough ? work : work + footnoteWork(text) + longLineWork(text);
}

/** A text is read again for comments that may change what follows them: in short texts very often. */
function commentWork(text: string): number {
  let passes = 0;
  for (let at = text.indexOf('%%'); at !== -1 && passes < MAX_COMMENT_PASSES; at = text.indexOf('%%', at + 2))
    passes += 0.5;
  return Math.min(passes * text.length, MAX_COMMENT_WORK);
}

/** The parser looks at the text above for each reference to a footnote. */
function footnoteWork(text: string): number {
  let references = 0;
  for (let at = text.indexOf('[^'); at !== -1; at = text.indexOf('[^', at + 2)) references += 1;
  return (text.length * references) / LINE_MARK;
}

/**
 * The parser takes time with the length of a line for each of its marks when it holds more than ASCII.
 * @param only lines that it matches
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
