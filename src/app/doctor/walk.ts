import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type FileKind, fileKindOf } from '../../notes/path.ts';

export interface WalkedFile {
  /** Vault-relative, in the drive's spelling. */
  readonly path: string;
  readonly kind: FileKind;
  readonly stats: Stats;
}

/** The content of a vault's folder without hidden names, as far as it is known without opening files. */
export interface VaultWalk {
  readonly files: readonly WalkedFile[];
  readonly folders: readonly string[];
  readonly links: readonly { readonly path: string; readonly leads: 'inside' | 'outside' | 'nowhere' }[];
  /** Paths of files whose bytes only a cloud drive has, as named after the download. */
  readonly placeholders: readonly string[];
  readonly special: readonly string[];
  /** Folders that this user may not list. */
  readonly closed: readonly string[];
  readonly notUtf8: readonly string[];
  /** Temporary files of an interrupted write; the next start removes them. */
  readonly leftovers: readonly string[];
  /** Total size of all files, bytes. */
  readonly bytes: number;
}

const PLACEHOLDER = /^\.([^.].*)\.icloud$/s;
const LEFTOVER = /^\.lectern-/;
/** A smaller file, bytes, may be stored without a block on some drives. */
const ONE_BLOCK = 4096;

/**
 * Lists a vault by reading only. The store's own listing is not used, because it also cleans up after a
 * crash.
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

/** Notes that are read in parallel. */
const PARALLEL = 16;

/**
 * Passes the bytes of every note to `look`, or the error of one that cannot be read. Placeholders are
 * skipped.
 * @param mostBytes larger notes are skipped
 */
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
