import { isLecternError, LecternError } from '../../errors.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { assertCreatable, dirName, isNotePath, pathKey } from '../../notes/path.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import { statVisible } from '../locate.ts';
import type { VaultParts } from '../parts.ts';
import { newPlace, placeFor } from '../write/target.ts';

export interface SourceFolder {
  readonly kind: 'folder';
  /** Spelling of the store. */
  readonly path: string;
  /** All files in it at any depth, visible to the caller or not. */
  readonly entries: readonly StoreEntry[];
}

export function seenIn({ entries }: SourceFolder, access: Access): readonly string[] {
  return entries.map(({ path }) => path).filter((path) => access.mayRead(path));
}

/** The contents of the folder named after a note, beside it: the child pages of that page. */
export async function childrenOf(
  parts: VaultParts,
  access: Access,
  path: string,
): Promise<SourceFolder | undefined> {
  return isNotePath(path) ? await folderAt(parts, access, childFolder(path)) : undefined;
}

/** The folder of the child pages of the note at this path. */
export function childFolder(path: string): string {
  return path.replace(/\.md$/i, '');
}

/**
 * @returns undefined when the caller sees nothing there
 * @throws LecternError `forbidden` when it contains something whose contents cannot be checked
 */
export async function folderAt(
  parts: VaultParts,
  access: Access,
  from: string,
): Promise<SourceFolder | undefined> {
  const { entries, problems } = await parts.store.list(from);
  if (!entries.some(({ path }) => access.mayRead(path))) return undefined;
  const [problem] = problems.filter(({ path }) => access.mayRead(path));
  if (problem) {
    throw new LecternError(
      'forbidden',
      `${from} holds files that Lectern cannot see through (${problem.message}).`,
      {
        next: 'Move this folder in a file manager, or move its notes one by one.',
      },
    );
  }
  const spelled = dirName((await parts.store.placeFor(`${from}/x`)).path);
  // A link to a folder is not that folder.
  return { kind: 'folder', path: pathKey(spelled) === pathKey(from) ? spelled : from, entries };
}

/** A folder of that name is not a file. */
export async function statFile(
  parts: VaultParts,
  access: Access,
  path: string,
): Promise<StoreEntry | undefined> {
  try {
    return await statVisible(parts.store, access, path);
  } catch (error) {
    if (isLecternError(error) && error.code === 'invalid_path') return undefined;
    throw error;
  }
}

export async function assertFolderFree(
  parts: VaultParts,
  access: Access,
  from: string,
  to: string,
): Promise<void> {
  assertCreatable(to);
  // A folder that differs in case only counts as existing, unless it is the folder itself.
  const there = dirName((await parts.store.placeFor(`${to}/x`)).path);
  const entries = there === from ? [] : (await parts.store.list(there)).entries;
  if (entries.some(({ path }) => access.mayRead(path)) || (await statFile(parts, access, to)) !== undefined) {
    throw new LecternError('exists', `${to} exists already.`, {
      details: { path: to },
      next: 'Move into a folder that does not exist yet, or move the notes one by one.',
    });
  }
}

/** How a folder moves to a free place: the files, their new paths, and the steps. */
export async function folderMove(
  parts: VaultParts,
  access: Access,
  source: SourceFolder,
  to: string,
): Promise<{ steps: readonly PlannedStep[]; moved: ReadonlyMap<string, string> }> {
  if (isParted(source, access, to)) return await moveSteps(parts, access, source, to);
  const { path: from, entries } = source;
  const { madeFolder } = await placeFor(parts, access, to);
  const made = madeFolder === undefined ? {} : { madeFolder };
  return {
    steps: [{ action: 'move_folder', path: from, toPath: to, ...made }],
    moved: new Map(entries.map(({ path }) => [path, to + path.slice(from.length)])),
  };
}

/**
 * Whether a folder is moved file by file because rules may hide some of its files, which stay where they are.
 * Decided from the rules, not from the files. A folder whose spelling changes is still the same folder.
 */
function isParted(source: SourceFolder, access: Access, to: string): boolean {
  if (pathKey(source.path) === pathKey(to)) return false;
  return access.dividesBelow(source.path) || access.dividesBelow(to);
}

async function moveSteps(
  parts: VaultParts,
  access: Access,
  source: SourceFolder,
  to: string,
): Promise<{ steps: readonly PlannedStep[]; moved: ReadonlyMap<string, string> }> {
  const steps: PlannedStep[] = [];
  const moved = new Map<string, string>();
  for (const path of seenIn(source, access)) {
    const { path: toPath, madeFolder } = await newPlace(parts, access, to + path.slice(source.path.length));
    moved.set(path, toPath);
    const made = madeFolder === undefined ? {} : { madeFolder };
    steps.push({ action: 'move', path, toPath, prunedFolder: source.path, ...made });
  }
  return { steps, moved };
}
