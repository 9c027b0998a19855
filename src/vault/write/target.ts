import { LecternError } from '../../errors.ts';
import { assertPageName } from '../../notes/page-name.ts';
import { assertCreatable, isNotePath, normalizePath } from '../../notes/path.ts';
import type { StoreEntry } from '../../stores/store.ts';
import { type Access, notFound } from '../access.ts';
import { statVisible } from '../locate.ts';
import type { VaultParts } from '../vault.ts';

/**
 * The file a write is about: the exact path (another Unicode form of it is the same file). Nothing
 * else is guessed; near names come back as suggestions.
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
  return entry;
}

/**
 * The canonical path of a note that may be made, or replaced when it is there.
 * @throws LecternError `invalid_path` for names no system or link can hold, `exists` for a name that differs from another's in case only
 */
export async function writableNotePath(
  parts: VaultParts,
  access: Access,
  input: string,
): Promise<{ path: string; existing: StoreEntry | undefined }> {
  const path = normalizePath(input);
  if (!isNotePath(path)) {
    throw new LecternError('invalid_path', `${input} is not the path of a Markdown note.`, {
      details: { path: input },
      next: `Only Markdown notes are written, and their names end in .md: ${path}.md would be one.`,
    });
  }
  access.assertWritable(path);
  const existing = await statVisible(parts.store, access, path);
  if (existing) return { path: existing.path, existing };
  assertPageName(path, parts.settings.dialect);
  await assertNew(parts, access, path);
  return { path, existing: undefined };
}

/** @throws LecternError when no new file may be made at this path */
export async function assertNew(parts: VaultParts, access: Access, path: string): Promise<void> {
  assertCreatable(path);
  access.assertWritable(path);
  const twin = await (await parts.reader().catch(() => undefined))?.file(path);
  if (twin && twin.path !== path && (await parts.store.stat(twin.path)))
    throw exists(path, twin.path, access);
  if (await parts.store.stat(path)) throw exists(path, path, access);
}

function exists(path: string, there: string, access: Access): LecternError {
  const shown = access.mayRead(there) ? there : path;
  return new LecternError('exists', `${shown} exists already.`, {
    details: { path: shown },
    next:
      shown === path ? 'Choose another name, or change the existing note.' : `Use ${shown}, or another name.`,
  });
}
