import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type FileKind, fileKindOf } from '../../notes/path.ts';

export interface WalkedFile {
  /** Vault-relative, as the drive spells it. */
  readonly path: string;
  readonly kind: FileKind;
  readonly stats: Stats;
}

/** What is in a vault's folder, hidden names apart, by what can be said of it without opening a file. */
export interface VaultWalk {
  readonly files: readonly WalkedFile[];
  readonly folders: readonly string[];
  readonly links: readonly { readonly path: string; readonly leads: 'inside' | 'outside' | 'nowhere' }[];
  /** Files whose text a cloud drive keeps to itself, by the name they will have. */
  readonly placeholders: readonly string[];
  readonly special: readonly string[];
  /** Folders and files that this user may not look at. */
  readonly closed: readonly string[];
  readonly notUtf8: readonly string[];
  /** What a writer that died left beside the notes; the next start puts it in order. */
  readonly leftovers: readonly string[];
  /** Bytes of all files. */
  readonly bytes: number;
}

const PLACEHOLDER = /^\.([^.].*)\.icloud$/s;
const LEFTOVER = /^\.lectern-/;
/** Below this a drive may keep the bytes without a block. */
const ONE_BLOCK = 4096;

/**
 * Lists a vault by reading alone. The listing of the store is not used, as it puts in order what a crash left.
 * @throws Error when the folder itself cannot be read
 */
export async function walkVault(root: string): Promise<VaultWalk> {
  const walk = {
    files: [] as WalkedFile[],
    folders: [] as string[],
    links: [] as { path: string; leads: 'inside' | 'outside' | 'nowhere' }[],
    placeholders: [] as string[],
    special: [] as string[],
    closed: [] as string[],
    notUtf8: [] as string[],
    leftovers: [] as string[],
    bytes: 0,
  };
  const blockless: string[] = [];
  let countsBlocks = false;
  const real = await realpath(root);
  const queue = [''];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    let entries: readonly Dirent[];
    try {
      entries = await readdir(join(root, folder), { withFileTypes: true });
    } catch (error) {
      if (folder === '') throw error;
      walk.closed.push(folder);
      continue;
    }
    walk.folders.push(folder);
    for (const entry of entries) {
      const { name } = entry;
      const path = folder === '' ? name : `${folder}/${name}`;
      const standsFor = PLACEHOLDER.exec(name)?.[1];
      if (standsFor !== undefined)
        walk.placeholders.push(folder === '' ? standsFor : `${folder}/${standsFor}`);
      else if (LEFTOVER.test(name)) walk.leftovers.push(path);
      if (name.startsWith('.')) continue;
      if (name.includes('\ufffd') && !(await exists(join(root, path)))) walk.notUtf8.push(path);
      else if (entry.isDirectory()) queue.push(path);
      else if (entry.isSymbolicLink())
        walk.links.push({ path, leads: await leadsTo(real, join(root, path)) });
      else if (!entry.isFile()) walk.special.push(path);
      else {
        const stats = await lstat(join(root, path)).catch(() => undefined);
        if (stats === undefined) continue;
        walk.files.push({ path, kind: fileKindOf(path), stats });
        walk.bytes += stats.size;
        if (stats.blocks > 0) countsBlocks = true;
        else if (stats.size >= ONE_BLOCK) blockless.push(path);
      }
    }
  }
  if (countsBlocks) walk.placeholders.push(...blockless);
  return walk;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function leadsTo(root: string, path: string): Promise<'inside' | 'outside' | 'nowhere'> {
  try {
    await stat(path);
    const way = relative(root, await realpath(path));
    return way === '..' || way.startsWith(`..${sep}`) ? 'outside' : 'inside';
  } catch {
    return 'nowhere';
  }
}

/** Notes read at once. */
const PARALLEL = 16;

/** Hands every note's bytes to `look`, or the error for which it cannot be read. Placeholders are left alone. */
export async function readNotes(
  root: string,
  walk: VaultWalk,
  mostBytes: number,
  look: (path: string, found: Uint8Array | Error) => void,
): Promise<void> {
  const away = new Set(walk.placeholders);
  const notes = walk.files.filter(
    ({ kind, path, stats }) => kind === 'note' && stats.size <= mostBytes && !away.has(path),
  );
  const next = notes.values();
  const reader = async () => {
    for (const { path } of next)
      look(path, await readFile(join(root, path)).catch((error: unknown) => error as Error));
  };
  await Promise.all(Array.from({ length: PARALLEL }, reader));
}
