import { LecternError } from '../../errors.ts';
import { resolveLink } from '../../notes/links/resolve.ts';
import type { Link } from '../../notes/model.ts';
import type { Pacer } from '../../search/pacer.ts';
import type { FileChange } from './relink.ts';

/**
 * Checks a rewritten note by parsing it: each link must still be a link and open the same target. A name may
 * contain characters that end a link in one place and not in another (`$$` or a backtick, when a second one
 * follows in the paragraph), so only parsing the whole text can tell.
 *
 * @param source the note's path before the change
 * @param before its links before the change, @param after those of the text that would be written
 * @param lost targets that were reported as impossible to keep
 */
export async function keepsLinks(
  source: string,
  before: readonly Link[],
  after: readonly Link[],
  lost: readonly string[],
  change: FileChange,
  pacer: Pacer,
): Promise<boolean> {
  if (before.length !== after.length) return false;
  const gone = new Set(lost);
  for (const [at, link] of before.entries()) {
    const now = after[at];
    if (now?.subpath !== link.subpath || !opensTheSame(source, link, now, gone, change)) return false;
    if (pacer.due) await pacer.pause();
  }
  return true;
}

/** @throws LecternError `invalid_path` unless {@link keepsLinks} */
export async function assertLinksKept(...links: Parameters<typeof keepsLinks>): Promise<void> {
  if (await keepsLinks(...links)) return;
  throw new LecternError('invalid_path', 'A link to the new name would not be read as a link.', {
    next: 'Choose a name without $$, backticks and other marks of Markdown.',
  });
}

function opensTheSame(
  source: string,
  before: Link,
  after: Link,
  lost: ReadonlySet<string>,
  change: FileChange,
): boolean {
  if (after.syntax === before.syntax && after.target === before.target && lost.has(before.target))
    return true;
  const { dialect } = change.settings;
  const old = resolveLink(source, before.target, before.syntax, change.before, dialect).path;
  if (old === undefined) return after.target === before.target;
  const { moved } = change;
  const now = resolveLink(
    moved.get(source) ?? source,
    after.target,
    after.syntax,
    change.after,
    dialect,
  ).path;
  return now === (moved.get(old) ?? old);
}
