import { isLecternError } from '../../errors.ts';
import { type JoplinFacts, joplinBodyStart, joplinFacts } from '../../notes/dialects/joplin.ts';
import { dirName } from '../../notes/path.ts';
import { propertiesOf } from '../../vault/properties-of.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ToolContext, VaultLookups } from '../catalogue.ts';
import { ToolError } from './failures.ts';
import { idOf, pathOfId } from './ids.ts';

/** A note in Joplin's form. */
export interface JoplinNote {
  readonly note: OpenedNote;
  readonly facts: JoplinFacts;
  /** The text before the body: front matter and the empty line after it. */
  readonly head: string;
  /** With `\n` line ends, whatever the file has. */
  readonly body: string;
}

/** @throws LecternError `not_found` when the path is not that of a note */
export async function openJoplinNote(session: VaultLookups, path: string): Promise<JoplinNote> {
  const note = await session.open(path);
  const { text, bodyStart, frontmatter, tags } = note.parsed;
  const start = joplinBodyStart(text, bodyStart, frontmatter !== undefined);
  return {
    note,
    facts: joplinFacts({
      ...note,
      tags,
      frontmatter: propertiesOf(note),
    }),
    head: text.slice(0, start),
    body: text.slice(start).replace(/\r\n?/g, '\n'),
  };
}

/** @throws ToolError when no note has this id, or it is in the trash */
export async function noteOfId({ vault }: Pick<ToolContext, 'vault'>, id: string): Promise<JoplinNote> {
  const session = await vault();
  const path = await pathOfId(session, id);
  const found = path !== undefined && (await session.exists(path)).path === path;
  if (!found) throw new ToolError(`Note not found: ${id.slice(0, 200)}`);
  return await openJoplinNote(session, path);
}

/**
 * Limit of attempts: another program may save the note between reading and writing, and it is then read
 * again.
 */
const ATTEMPTS = 5;

/**
 * Changes a note based on its current text.
 *
 * @param change throws LecternError `conflict` when the note has changed since it was read
 */
export async function changeNote(
  first: JoplinNote,
  session: VaultLookups,
  change: (current: JoplinNote) => Promise<void>,
): Promise<void> {
  let current = first;
  for (let attempt = 1; ; attempt++) {
    try {
      await change(current);
      return;
    } catch (error) {
      if (!isLecternError(error) || error.code !== 'conflict' || attempt === ATTEMPTS) throw error;
    }
    current = await openJoplinNote(session, first.note.path);
  }
}

/** The id of a note's notebook; '' at the top of the vault. */
export async function notebookIdOf(session: VaultLookups, path: string): Promise<string> {
  const folder = dirName(path);
  return folder === '' ? '' : await idOf(session, folder);
}
