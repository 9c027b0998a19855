import type { Splice } from '../splice.ts';
import type { Eol } from '../text.ts';
import { contained, type Edit, exactly } from './edit.ts';
import { blankLineBefore, startsLine } from './lines.ts';

export interface InsertionOptions {
  /** Whether a blank line is inserted after the lines. */
  readonly blankAfter?: boolean;
  /** Whether a missing final newline of the note stays missing. */
  readonly keepFinalState?: boolean;
}

/**
 * Inserts whole lines at `at`, the start of a line or the end of the text. The variants add a blank line
 * before, after or on both sides, for when the lines would change the meaning of the surrounding text.
 */
export function insertLines(
  text: string,
  at: number,
  lines: string,
  eol: Eol,
  options: InsertionOptions = {},
): Edit {
  if (lines === '') return exactly([]);
  const atEnd = at === text.length;
  const needsBreak = !startsLine(text, at);
  const after = atEnd ? 0 : options.blankAfter ? 1 : 0;
  const ends = atEnd && options.keepFinalState === true && needsBreak ? '' : eol;
  const build = (blankBefore: number, blankAfter: number): readonly Splice[] => {
    const front = (needsBreak ? eol : '') + eol.repeat(blankBefore);
    const own = lines.endsWith(eol) && ends !== '' ? lines : lines + ends;
    return [{ start: at, end: at, insert: front + own + eol.repeat(blankAfter) }];
  };
  const attempts = [build(0, after)];
  const roomBefore = at > 0 && (needsBreak || !blankLineBefore(text, at));
  const roomAfter = !atEnd && after === 0;
  if (roomBefore) attempts.push(build(1, after));
  if (roomAfter) attempts.push(build(0, 1));
  if (roomBefore && roomAfter) attempts.push(build(1, 1));
  return contained(attempts);
}
