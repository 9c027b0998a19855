import { parseFrontmatter } from '../../notes/frontmatter.ts';
import { deleteProperty, setProperty } from '../../notes/frontmatter-edit.ts';
import type { Dialect } from '../../notes/model.ts';
import { applySplices } from '../../notes/splice.ts';
import { bomLength, detectEol } from '../../notes/text.ts';
import type { NoteContent } from './types.ts';

/**
 * The text of a note that is created or replaced. A body with a property block of its own is the
 * whole note; otherwise an existing note keeps its block, since readers are handed the body without
 * it. New text takes the line endings the note had.
 */
export function noteText(existing: string | undefined, content: NoteContent, dialect: Dialect): string {
  const body = existing === undefined ? content.body : withEol(content.body, detectEol(existing));
  const whole = parseFrontmatter(body, dialect) !== undefined;
  const kept = existing === undefined || whole ? '' : existing.slice(0, bodyStart(existing, dialect));
  let text = kept + body;
  for (const [key, value] of Object.entries(content.frontmatter ?? {})) {
    text = applySplices(
      text,
      value === undefined ? deleteProperty(text, dialect, key) : setProperty(text, dialect, key, value),
    );
  }
  return text;
}

function bodyStart(text: string, dialect: Dialect): number {
  return parseFrontmatter(text, dialect)?.span.end ?? bomLength(text);
}

function withEol(text: string, eol: string): string {
  return eol === '\n' ? text : text.replace(/\r\n?|\n/g, eol);
}
