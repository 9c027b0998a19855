import { LecternError } from '../../errors.ts';
import { baseBlocks } from '../../formats/bases/file/base-blocks.ts';
import { type BaseFile, type BaseView, findView, parseBase } from '../../formats/bases/file/base-file.ts';
import { closest } from '../../nearest.ts';
import { extension } from '../../notes/path.ts';
import { decodeText } from '../../notes/text.ts';
import type { VaultSession } from '../../vault/session.ts';

/** A parsed base and its place. */
export interface LoadedBase {
  readonly base: BaseFile;
  /** Path of the base, or of the note that contains it; undefined for one given as text. */
  readonly path: string | undefined;
  /** Path of the file that `this` stands for by default. */
  readonly self: string | undefined;
}

export interface BaseAddress {
  readonly path?: string | undefined;
  /** Number of the base among those of a note, from 1. */
  readonly block?: number | undefined;
  readonly source?: string | undefined;
}

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a base from a `.base` file, a block in a note, or the text given.
 * @throws LecternError `invalid_input` unless exactly one of path and text is given, and for an invalid base;
 *   `not_found` for a missing block
 */
export async function loadBase(
  vault: VaultSession,
  { path, block, source }: BaseAddress,
): Promise<LoadedBase> {
  if ((path === undefined) === (source === undefined))
    throw new LecternError(
      'invalid_input',
      'A base is named by its path or given as source, one of the two.',
      {
        details: { missing: path === undefined ? ['path'] : [], unknown: [], invalid: [] },
        next: 'Pass path: Books.base, or source: YAML with filters and views.',
      },
    );
  if (source !== undefined) return { base: parseBase(source, 'source'), path: undefined, self: undefined };
  const file = await vault.file(path ?? '', MAX_BYTES);
  const decoded = decodeText(file.bytes);
  if (!decoded.ok)
    throw new LecternError('invalid_input', `${file.path} is not UTF-8 text.`, {
      details: { path: file.path },
    });
  const text = decoded.text.replace(/^\ufeff/, '');
  if (extension(file.path) === 'base')
    return { base: parseBase(text, file.path), path: file.path, self: file.path };
  const blocks = baseBlocks(text);
  const wanted = blocks[(block ?? 1) - 1];
  if (wanted === undefined)
    throw new LecternError(
      'not_found',
      `${file.path} has ${blocks.length === 0 ? 'no base' : `${blocks.length} of them, no base ${block}`}.`,
      { details: { path: file.path }, next: 'Name a .base file, or a note with a ```base block.' },
    );
  return { base: parseBase(wanted.source, file.path, wanted.line), path: file.path, self: file.path };
}

/**
 * The view with this name; the first one by default.
 * @throws LecternError `not_found` with the names of the views
 */
export function viewNamed(base: BaseFile, name: string | undefined): BaseView {
  const { views } = base;
  const found = name === undefined ? views[0] : findView(base, name);
  if (found !== undefined) return found;
  const names = views.map((view) => view.name);
  const meant = closest(name ?? '', names);
  throw new LecternError('not_found', `The base has no view ${JSON.stringify(name)}.`, {
    details: { views: names },
    next: meant === undefined ? `Views: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
