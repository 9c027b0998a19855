import { LecternError } from '../errors.ts';
import type { NoteIndexReader } from '../index/note-index.ts';
import type { Dialect } from '../notes/model.ts';
import { hasPages } from '../notes/page-name.ts';
import { fileKindOf, nameKey, normalizePath } from '../notes/path.ts';
import type { Store, StoreEntry } from '../stores/store.ts';
import { type Access, notFound } from './access.ts';
import { filesOfPage } from './page-files.ts';
import type { OpenedNote, VaultSession } from './session.ts';

export interface Located {
  readonly entry: StoreEntry;
  readonly resolvedBy: OpenedNote['resolvedBy'];
}

interface Places {
  readonly store: Store;
  readonly access: Access;
  /**
   * The index; undefined while it cannot be opened, and then only exact paths are found. Called when the
   * store has no such file.
   */
  readonly reader: () => Promise<NoteIndexReader | undefined>;
  /** Why the index may be incomplete, see {@link VaultSession.staleness}. */
  readonly staleness: () => string | undefined;
  readonly dialect: Dialect;
}

const SUGGESTIONS = 3;
const CANDIDATES = 10;

/**
 * Finds the file a reader means: the exact path, another spelling of it, the path without `.md`, the page of
 * that name, or a base name that only one visible note has. Never used for writes.
 * @throws LecternError `invalid_path`, `not_found` with suggestions, `ambiguous` with candidates
 */
export async function locate(input: string, places: Places): Promise<Located> {
  const path = normalizePath(input);
  const { store, access, dialect } = places;
  const spellings: [string, OpenedNote['resolvedBy']][] = [[path, 'exact']];
  if (fileKindOf(path) === 'attachment') spellings.push([`${path}.md`, 'extension']);
  for (const [spelling, how] of spellings) {
    const entry = await statVisible(store, access, spelling);
    if (entry) return { entry, resolvedBy: how === 'exact' && entry.path !== path ? 'case' : how };
  }
  const reader = await places.reader();
  const staleness = places.staleness();
  if (!reader) throw notFound(input);
  for (const [spelling, how] of spellings) {
    const record = await reader.file(spelling);
    const entry = record && (await statVisible(store, access, record.path));
    if (entry) return { entry, resolvedBy: how === 'exact' ? 'case' : how };
  }
  if (hasPages(dialect)) {
    const pages = await filesOfPage(path, dialect, reader, access);
    if (pages.length > 1) throw ambiguousName(path, pages);
    const [only] = pages;
    const entry = only === undefined ? undefined : await statVisible(store, access, only);
    if (entry) return { entry, resolvedBy: 'page' };
  }
  if (!path.includes('/')) {
    const named = new Set<string>();
    for (const [spelling] of spellings)
      for (const found of await reader.filesNamed(nameKey(spelling)))
        if (access.mayRead(found)) named.add(found);
    if (named.size > 1) throw ambiguousName(path, [...named].sort());
    const [only] = named;
    const entry = only === undefined ? undefined : await statVisible(store, access, only);
    if (entry) return { entry, resolvedBy: 'name' };
  }
  if (staleness !== undefined) throw notFoundYet(input, staleness);
  throw notFound(input, await reader.suggest(path, SUGGESTIONS, access.filter));
}

/** The store has no file at exactly this path, and the index is not complete. */
function notFoundYet(path: string, staleness: string): LecternError {
  return new LecternError(
    'not_found',
    `There is no file at exactly ${path}; whether a note has this name or another spelling of it is not known yet (${staleness}).`,
    { details: { path }, next: 'Call again in a few seconds, or with the whole path.' },
  );
}

/** Stats a file behind the access gate: a file that may not be read does not exist. */
export async function statVisible(
  store: Store,
  access: Access,
  path: string,
): Promise<StoreEntry | undefined> {
  if (!access.mayRead(path)) return undefined;
  const entry = await store.stat(path);
  return entry && access.mayRead(entry.path) ? entry : undefined;
}

export function ambiguousName(name: string, candidates: readonly string[]): LecternError {
  return new LecternError('ambiguous', `${candidates.length} notes are named ${name}.`, {
    details: { candidates: candidates.slice(0, CANDIDATES), total: candidates.length },
    next: 'Call again with one of the full paths.',
  });
}
