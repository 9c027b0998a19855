/**
 * Thousands of unmatched emphasis marks in one paragraph take the parser quadratic time. Lectern does not use
 * emphasis, so in such a note the marks are hidden from the parser.
 */

const MANY = 3_000;
/** A mark, or the blank line that ends a paragraph. */
const MARK_OR_GAP = /[*_~]|\n[ \t>]*\r?(?=\n)/g;
/** The start of a line: quote and list markers, rules, fences. Marks in it stay. */
const LINE = /^([ \t>*_~+\-\d.)]*)(.*)$/gm;
/** Noncharacters of the same length that replace the marks, as texts should not contain them. */
const STAND_INS: Readonly<Record<string, string>> = { '*': '\ufdd0', _: '\ufdd1', '~': '\ufdd2' };
const MARKS: Readonly<Record<string, string>> = { '\ufdd0': '*', '\ufdd1': '_', '\ufdd2': '~' };

/** Whether a paragraph has more emphasis marks than people write. */
export function hasHostileEmphasis(source: string): boolean {
  if (source.length < MANY) return false;
  let marks = 0;
  MARK_OR_GAP.lastIndex = 0;
  for (let match = MARK_OR_GAP.exec(source); match !== null; match = MARK_OR_GAP.exec(source)) {
    marks = match[0].length === 1 && match[0] !== '\n' ? marks + 1 : 0;
    if (marks > MANY) return true;
  }
  return false;
}

/** Replaces the marks within lines; length and line starts stay. */
export function hideEmphasis(source: string): string {
  return source.replace(
    LINE,
    (_, start: string, rest: string) => start + rest.replace(/[*_~]/g, (mark) => STAND_INS[mark] ?? mark),
  );
}

/** Reverts {@link hideEmphasis} in a part of its result. */
export function showEmphasis(text: string): string {
  return text.replace(/[\ufdd0-\ufdd2]/g, (mark) => MARKS[mark] ?? mark);
}
