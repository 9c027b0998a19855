import { isLecternError, LecternError } from '../../errors.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';
import { pageOf } from './page-path.ts';

/**
 * Opens the page at exactly this path: this system's names are case-sensitive, and no other page is used
 * instead.
 *
 * @throws LecternError `not_found` with the page that was probably meant
 */
export async function pageAt(path: string, session: VaultLookups): Promise<OpenedNote> {
  try {
    const note = await session.open(path);
    if (note.resolvedBy === 'exact') return note;
    throw missing(path, [note.path]);
  } catch (error) {
    if (!isLecternError(error) || (error.code !== 'not_found' && error.code !== 'ambiguous')) throw error;
    const { suggestions, candidates } = error.details;
    const near = [suggestions, candidates].find((each) => Array.isArray(each)) as unknown[] | undefined;
    throw missing(path, (near ?? []).filter((one) => typeof one === 'string').map(pageOf));
  }
}

function missing(path: string, suggestions: readonly string[]): LecternError {
  return new LecternError('not_found', `Not found: ${path}`, { details: { path, suggestions } });
}
