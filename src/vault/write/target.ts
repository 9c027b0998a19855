import { isLecternError, LecternError } from '../../errors.ts';
import { assertPageName } from '../../notes/page-name.ts';
import { assertCreatable, dirName, fileKindOf, normalizePath } from '../../notes/path.ts';
import { notDownloaded } from '../../stores/not-downloaded.ts';
import type { Placement, StoreEntry } from '../../stores/store.ts';
import { type Access, notFound } from '../access.ts';
import { statVisible } from '../locate.ts';
import type { VaultParts } from '../parts.ts';

/**
 * The file a write is about, by its exact path (another Unicode form of it is the same file). Other matches
 * are only suggested.
 * @throws LecternError `invalid_path`, `not_found`, `forbidden`, `read_only`
 */
export async function writableEntry(parts: VaultParts, access: Access, input: string): Promise<StoreEntry> {
  const path = normalizePath(input);
  const entry = await statVisible(parts.store, access, path);
  if (!entry) {
    const reader = await parts.reader().catch(() => undefined);
    throw notFound(input, (await reader?.suggest(path, 3, access.filter)) ?? []);
  }
  access.assertWritable(entry.path);
  if (entry.isPlaceholder) throw notDownloaded(entry.path);
  return entry;
}

/** The path at which a write creates a note. */
export interface NoteTarget extends Placement {
  readonly existing: StoreEntry | undefined;
}

/**
 * The canonical path of a note or canvas that may be created, or replaced when it exists.
 * @throws LecternError `invalid_path` for names no system or link supports, `exists` for a name that differs
 *   from another one in case only
 */
export async function writableFilePath(
  parts: VaultParts,
  access: Access,
  input: string,
  kind: 'note' | 'canvas',
): Promise<NoteTarget> {
  const path = normalizePath(input);
  if (fileKindOf(path) !== kind) throw notOfKind(input, path, kind);
  access.assertWritable(path);
  const existing = await parts.store.stat(path);
  if (existing && !access.mayRead(existing.path)) throw notFound(input);
  if (existing) {
    access.assertWritable(existing.path);
    if (existing.isPlaceholder) throw notDownloaded(existing.path);
    return { path: existing.path, madeFolder: undefined, existing };
  }
  if (kind === 'note') assertPageName(path, parts.settings.dialect);
  return { ...(await placeOf(parts, access, path, path)), existing };
}

function notOfKind(input: string, path: string, kind: 'note' | 'canvas'): LecternError {
  if (kind === 'canvas')
    return new LecternError('invalid_path', `${input} is not the path of a canvas.`, {
      details: { path: input },
      next: `Names of canvases end in .canvas: ${path}.canvas would be one.`,
    });
  return new LecternError('invalid_path', `${input} is not the path of a Markdown note.`, {
    details: { path: input },
    next:
      fileKindOf(path) === 'canvas'
        ? 'Canvases are written with canvas_write and canvas_patch.'
        : `Only Markdown notes are written, and their names end in .md: ${path}.md would be one.`,
  });
}

/** The path of a file that does not exist yet: as given, with existing folders in their own spelling. */
export function newPlace(parts: VaultParts, access: Access, path: string): Promise<Placement> {
  return placeOf(parts, access, path, undefined);
}

/** @param absent a path at which no file was found a moment ago */
async function placeOf(
  parts: VaultParts,
  access: Access,
  asked: string,
  absent: string | undefined,
): Promise<Placement> {
  assertCreatable(asked);
  access.assertWritable(asked);
  const place = await placeFor(parts, access, asked);
  const { path } = place;
  // A folder that is a link leads elsewhere, where other rules may apply.
  if (!access.mayRead(path)) throw notFound(asked);
  access.assertWritable(path);
  await (await parts.writer()).named(path);
  const twin = await (await parts.reader().catch(() => undefined))?.file(path);
  if (twin && twin.path !== path && (await parts.store.stat(twin.path)))
    throw exists(path, twin.path, access);
  if (path !== absent && (await parts.store.stat(path))) throw exists(path, path, access);
  return place;
}

/**
 * The store's `placeFor`. A caller that may not see everything does not learn what blocks a folder.
 * @throws LecternError `invalid_path` when a file has the name of a folder on the path
 */
export async function placeFor(parts: VaultParts, access: Access, path: string): Promise<Placement> {
  try {
    return await parts.store.placeFor(path);
  } catch (error) {
    if (access.filter === undefined || !isLecternError(error) || error.code !== 'invalid_path') throw error;
    throw new LecternError('invalid_path', `No file can be made at ${path}.`, {
      details: { path },
      next: 'Choose another folder.',
    });
  }
}

/** The notice for a new file whose folder exists in another spelling than requested. */
export function placeNotices(asked: string, path: string): string[] {
  const folder = dirName(path);
  if (dirName(asked) === folder) return [];
  return [`put into ${folder}: folders whose names differ in case or Unicode form only are one`];
}

function exists(path: string, there: string, access: Access): LecternError {
  const shown = access.mayRead(there) ? there : path;
  return new LecternError('exists', `${shown} exists already.`, {
    details: { path: shown },
    next:
      shown === path ? 'Choose another name, or change the existing note.' : `Use ${shown}, or another name.`,
  });
}
