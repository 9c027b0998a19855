import { LecternError } from '../../errors.ts';
import { bodyStartOf, parseFrontmatter } from '../../notes/frontmatter.ts';
import { deleteProperty, setProperty } from '../../notes/frontmatter-edit.ts';
import type { Dialect, Frontmatter, FrontmatterProblem } from '../../notes/model.ts';
import { applySplices } from '../../notes/splice.ts';
import { bomLength, detectEol } from '../../notes/text.ts';
import type { NoteContent } from './types.ts';

/**
 * The text of a note that is created or replaced. A body with a property block of its own is the
 * whole note; otherwise an existing note keeps its block, since readers are handed the body without
 * it. New text takes the line endings the note had.
 *
 * @throws LecternError `invalid_input` when the body brings a block nobody could read to a note whose own is fine
 */
export function noteText(existing: string | undefined, content: NoteContent, dialect: Dialect): string {
  let text = existing === undefined ? content.body : replaced(existing, content.body, dialect);
  for (const [key, value] of Object.entries(content.frontmatter ?? {})) {
    text = applySplices(
      text,
      value === undefined ? deleteProperty(text, dialect, key) : setProperty(text, dialect, key, value),
    );
  }
  return text;
}

function replaced(existing: string, written: string, dialect: Dialect): string {
  const eol = detectEol(existing);
  const body = withEol(written.slice(bomLength(written)), eol);
  const old = parseFrontmatter(existing, dialect);
  const own = parseFrontmatter(body, dialect);
  const kept = existing.slice(0, bodyStartOf(existing, old));
  if (own !== undefined && !(old !== undefined && isText(own, body, existing.slice(kept.length), dialect))) {
    assertReadable(own, old);
    return existing.slice(0, bomLength(existing)) + body;
  }
  // A closing fence may end the file without a line ending of its own.
  const gap = old !== undefined && body !== '' && !/[\r\n]$/.test(kept) ? eol : '';
  return kept + gap + body;
}

/**
 * Whether what looks like properties is text between two thematic breaks: it is no map, or the body the
 * note has starts with the very same lines and was handed back.
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

function withEol(text: string, eol: string): string {
  return eol === '\n' ? text : text.replace(/\r\n?|\n/g, eol);
}
