import { parseBase } from '../../formats/bases/file/base-file.ts';
import type { ListFilter, ListSort } from '../../index/note-index.ts';
import type { ListedNote, SessionPage, VaultSession } from '../../vault/session.ts';
import { givenExpression, problemNotices, refuseBroken, runBase } from './base-run.ts';
import { viewNamed } from './base-source.ts';
import { offsetCursor, offsetOf } from './offset-cursor.ts';

interface WherePage {
  readonly items: readonly ListedNote[];
  readonly total: number;
  readonly nextCursor: string | null;
  /** Notices about files for which the expression has no value. */
  readonly notices: readonly string[];
}

/**
 * A page of the notes for which an expression of Bases is true.
 * @param operation name of the list in the error for an invalid cursor
 * @throws LecternError `invalid_input` for an invalid expression, with its position
 */
export async function listWhere(
  vault: VaultSession,
  { where, filter, sort }: { readonly where: string; readonly filter: ListFilter; readonly sort: ListSort },
  { limit, cursor }: SessionPage,
  operation: string,
  signal: AbortSignal,
): Promise<WherePage> {
  const start = offsetOf(cursor, 'w', operation);
  const base = parseBase('', 'where');
  const view = { ...viewNamed(base, undefined), order: ['file.path'] };
  const extra = [givenExpression(where, 'where')];
  refuseBroken(base, view, extra);
  const result = await runBase(vault, {
    base,
    view,
    extra,
    given: filter,
    order: sort,
    page: { start, limit },
    signal,
  });
  const paths = result.rows.map(({ facts }) => facts.path);
  return {
    items: await notesAt(vault, paths),
    total: result.total,
    nextCursor: offsetCursor('w', start + limit, result.total),
    notices: problemNotices(result),
  };
}

/** The notes at these paths, in their order. */
async function notesAt(vault: VaultSession, paths: readonly string[]): Promise<readonly ListedNote[]> {
  if (paths.length === 0) return [];
  const where = { kind: 'any', of: paths.map((path) => ({ kind: 'path', path }) as const) } as const;
  // A path may match two files that differ only in case.
  const { items } = await vault.list({ where }, 'path', { limit: 2 * paths.length });
  const byPath = new Map(items.map((note) => [note.path, note]));
  return paths.flatMap((path) => byPath.get(path) ?? []);
}
