import { PROPERTIES_PER_CALL } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import { deleteProperty, setProperty } from '../../notes/frontmatter/edit.ts';
import { bodyStartOf, parseFrontmatter } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter, FrontmatterProblem } from '../../notes/model.ts';
import { replaceLines } from '../../notes/patch/lines.ts';
import { applySplices } from '../../notes/splice.ts';
import { bomLength, type Eol, eolToInsert } from '../../notes/text.ts';
import type { WorkLimit } from '../../notes/work.ts';
import type { NoteContent } from './types.ts';

/**
 * The text of a note that is created or replaced. A body that starts with a property block is the whole note;
 * otherwise an existing note keeps its block, since readers get the body without it. New text takes the
 * note's line endings; unchanged lines at both ends keep theirs, even unusual ones.
 *
 * @param work limit for parsing
 * @throws LecternError `too_large` for more properties than a call may set; `invalid_input` when the body
 *   brings an unreadable block to a note whose own block is readable
 */
export function noteText(
  existing: string | undefined,
  content: NoteContent,
  dialect: Dialect,
  work?: WorkLimit,
): string {
  const properties = Object.entries(content.frontmatter ?? {});
  if (properties.length > PROPERTIES_PER_CALL) throw tooManyProperties(properties.length);
  let text = existing === undefined ? content.body : replaced(existing, content, dialect);
  for (const [key, value] of properties) {
    work?.parse(text);
    text = applySplices(
      text,
      value === undefined ? deleteProperty(text, dialect, key) : setProperty(text, dialect, key, value),
    );
  }
  return text;
}

function tooManyProperties(count: number): LecternError {
  return new LecternError(
    'too_large',
    `A call sets at most ${PROPERTIES_PER_CALL} properties, not ${count}. Nothing was changed.`,
    {
      details: { limit: PROPERTIES_PER_CALL },
      next: 'Write them as a block at the start of the body, or set them in several calls.',
    },
  );
}

function replaced(existing: string, { body: written, whole = false }: NoteContent, dialect: Dialect): string {
  // A note of one line has no line ending to copy.
  const eol = eolToInsert(/[\r\n]/.test(existing) ? existing : written);
  const body = withEol(written.slice(bomLength(written)), eol);
  if (whole) return withLines(existing, bomLength(existing), body, eol);
  const old = parseFrontmatter(existing, dialect);
  const own = parseFrontmatter(body, dialect);
  const kept = existing.slice(0, bodyStartOf(existing, old));
  if (
    own !== undefined &&
    !(old !== undefined && isText(own, body, withEol(existing.slice(kept.length), eol), dialect))
  ) {
    assertReadable(own, old);
    return withLines(existing, bomLength(existing), body, eol);
  }
  // A closing fence may end the file without a line ending.
  const gap = old !== undefined && body !== '' && !/[\r\n]$/.test(kept) ? eol : '';
  return gap === '' ? withLines(existing, kept.length, body, eol) : kept + gap + body;
}

function withLines(existing: string, start: number, lines: string, eol: Eol): string {
  return applySplices(existing, replaceLines(existing, { start, end: existing.length }, lines, eol));
}

/**
 * Whether an apparent property block is text between two thematic breaks: it is not a map, or the note's body
 * starts with the same lines and was returned by the caller.
 */
function isText(own: Frontmatter, body: string, oldBody: string, dialect: Dialect): boolean {
  if (own.problems.some(({ code }) => code === 'not_a_map')) return true;
  const block = body.slice(own.span.start, own.span.end);
  return oldBody.startsWith(block) && parseFrontmatter(oldBody, dialect)?.span.end === block.length;
}

function assertReadable(own: Frontmatter, old: Frontmatter | undefined): void {
  const problem = firstError(own);
  if (problem === undefined || old === undefined || firstError(old) !== undefined) return;
  throw new LecternError(
    'invalid_input',
    `The body starts with properties that cannot be read: ${problem.message}, line ${problem.line}. Nothing was changed.`,
    {
      details: { line: problem.line, reason: problem.code },
      next: 'Repair that line, or leave the block out: the note then keeps the properties it has.',
    },
  );
}

function firstError(frontmatter: Frontmatter): FrontmatterProblem | undefined {
  return frontmatter.problems.find(({ severity }) => severity === 'error');
}

function withEol(text: string, eol: Eol): string {
  return text.replace(/\r\n?|\n/g, eol);
}
