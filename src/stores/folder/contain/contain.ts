import { type BigIntStats, closeSync, constants, existsSync, openSync, readlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LecternError } from '../../../errors.ts';
import { Flushes } from '../../../flushes.ts';
import {
  baseName,
  creatablePathProblem,
  dirName,
  joinPath,
  readablePathProblem,
} from '../../../notes/path.ts';
import type { Drive } from './drive.ts';
import { forbidden, hasCode, storeError } from './errno.ts';
import { specialKind } from './identity.ts';
import { type Spelled, spelledIn, twinsOf } from './spelling.ts';

/**
 * A folder of the vault, opened and proven to lie inside it. On Linux `at` goes through the open
 * descriptor (`/proc/self/fd/N/name`), so a folder that is swapped for a link after the check cannot
 * redirect what follows. Elsewhere `at` is the real path: reads are checked once more after opening,
 * and a program that swaps folders for links between two calls could redirect a write.
 */
export interface Folder {
  /** Vault-relative real path; '' = root. */
  readonly path: string;
  readonly drive: Drive;
  /** The path to pass to system calls for an entry; '' = the folder itself. */
  at(name: string): string;
  /** Makes renames, links and unlinks in this folder durable. Concurrent calls share one flush. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A regular file. The caller must close `folder`. */
export interface Located {
  readonly folder: Folder;
  readonly name: string;
  /** Vault-relative real path in on-disk spelling. */
  readonly path: string;
  readonly stats: BigIntStats;
  /** The requested path was a symbolic link to `path`. */
  readonly viaLink: boolean;
}

const DESCRIPTORS = '/proc/self/fd';
const OPEN_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NONBLOCK ?? 0);
const MAX_LINKS = 8;

/**
 * Keeps file access inside a vault: turns vault-relative paths into absolute ones and refuses every path that
 * leads outside.
 */
export class Containment {
  /** Prefix of the absolute paths of everything in the vault. */
  readonly prefix: string;
  /** Whether the path of an open descriptor can be read back. */
  readonly anchored = process.platform === 'linux' && existsSync(DESCRIPTORS);
  readonly #flushes = new Flushes();

  /** @param root absolute real path of the vault's folder */
  constructor(
    readonly root: string,
    readonly drive: Drive,
  ) {
    this.prefix = root.endsWith(sep) ? root : root + sep;
  }

  /** @returns the vault-relative path, or undefined when `real` lies outside the vault */
  relative(real: string): string | undefined {
    if (real === this.root) return '';
    if (!real.startsWith(this.prefix)) return undefined;
    const rest = real.slice(this.prefix.length);
    return sep === '/' ? rest : rest.replaceAll(sep, '/');
  }

  /** The absolute real path of an open file, where descriptors are {@link anchored}. */
  placeOf(fd: number): string {
    return readlinkSync(`${DESCRIPTORS}/${fd}`);
  }

  absolute(path: string): string {
    return path === '' ? this.root : join(this.root, path);
  }

  /**
   * Opens an existing folder; undefined when there is none.
   * @param hidden the caller means a dot folder of the vault (`.trash`)
   */
  async folder(path: string, hidden = false): Promise<Folder | undefined> {
    try {
      return await this.#open(this.absolute(path), path, hidden);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw storeError(error, path);
    }
    // Only a name with several Unicode forms can exist under another one.
    if (hidden || path === '' || path.normalize('NFC') === path.normalize('NFD')) return undefined;
    const parent = await this.folder(dirName(path));
    if (parent === undefined) return undefined;
    try {
      const found = await spelledIn(parent, baseName(path), this.drive);
      if (found === undefined || found.name === baseName(path)) return undefined;
      return await this.#open(parent.at(found.name), path, false);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw storeError(error, path);
    } finally {
      await parent.close();
    }
  }

  /**
   * Opens a folder whose real path is its given path, in one step.
   * @returns undefined for one that is elsewhere or hidden, or where descriptors are not {@link anchored}
   * @throws the system's error
   */
  folderNow(path: string): Folder | undefined {
    if (!this.anchored || isHidden(path)) return undefined;
    const place = this.absolute(path);
    const fd = openSync(place, OPEN_FOLDER);
    let isMeant = false;
    try {
      isMeant = this.placeOf(fd) === place;
      return isMeant ? this.#anchoredFolder(fd, path) : undefined;
    } finally {
      if (!isMeant) closeSync(fd);
    }
  }

  /**
   * Opens a folder and creates its missing parts. A folder whose name differs in case only is used instead of
   * creating a second one.
   * @returns the folder, and `undo`, which removes the folders created here while they are empty
   */
  async makeFolder(
    path: string,
    hidden = false,
  ): Promise<{ readonly folder: Folder; undo(): Promise<void> }> {
    const made: string[] = [];
    const undo = async () => {
      for (const folder of made.reverse()) {
        await fs.rmdir(this.absolute(folder)).catch(() => undefined);
      }
    };
    const existing = await this.folder(path, hidden);
    if (existing !== undefined) return { folder: existing, undo };
    if (path === '') throw rootGone(this.root);
    const parent = await this.makeFolder(dirName(path));
    try {
      const twin = hidden ? undefined : await this.twin(parent.folder, baseName(path));
      const name = twin ?? baseName(path);
      try {
        if (twin === undefined) {
          await fs.mkdir(parent.folder.at(name));
          made.push(joinPath(parent.folder.path, name));
          await parent.folder.sync();
        }
      } catch (error) {
        // Just created by another program, or a file, or a broken link: opening it shows which.
        if (!hasCode(error, 'EEXIST')) throw error;
      }
      const folder = await this.#open(parent.folder.at(name), path, hidden);
      return {
        folder,
        undo: async () => {
          await undo();
          await parent.undo();
        },
      };
    } catch (error) {
      await undo();
      await parent.undo();
      // A link whose target is missing: where a write would go is unknown.
      if (hasCode(error, 'ENOENT')) throw forbidden(path, 'goes through a symbolic link that leads nowhere');
      throw storeError(error, path);
    } finally {
      await parent.folder.close();
    }
  }

  /**
   * The name in a folder that differs from this one in case or Unicode form only.
   * @throws LecternError `ambiguous` when there are several
   */
  async twin(parent: Folder, name: string): Promise<string | undefined> {
    const twins = await twinsOf(parent, name);
    if (twins.length < 2) return twins[0];
    const candidates = twins.map((one) => joinPath(parent.path, one));
    throw new LecternError(
      'ambiguous',
      `${candidates.length} folders answer to ${joinPath(parent.path, name)}.`,
      {
        details: { candidates },
        next: `Call again with one of them: ${candidates.join(', ')}.`,
      },
    );
  }

  /**
   * Finds a regular file by exact path, else by NFC-equal spelling, following links that stay inside.
   * A folder is no file: undefined.
   * @throws LecternError `forbidden` for links leading outside, into hidden folders or nowhere, and for special files
   */
  async locate(path: string, links = 0): Promise<Located | undefined> {
    checkReadable(path);
    const folder = await this.folder(dirName(path));
    if (folder === undefined) return undefined;
    let handedOver = false;
    try {
      const found = await spelledIn(folder, baseName(path), this.drive);
      if (found === undefined) return undefined;
      if (found.stats.isSymbolicLink()) {
        if (links >= MAX_LINKS) throw forbidden(path, 'is a chain of symbolic links');
        const target = await this.locate(await this.linkTarget(folder, found, path), links + 1);
        return target && { ...target, viaLink: true };
      }
      if (found.stats.isDirectory()) return undefined;
      if (!found.stats.isFile()) throw forbidden(path, `is ${specialKind(found.stats)}`);
      handedOver = true;
      const real = joinPath(folder.path, found.name);
      return { folder, name: found.name, path: real, stats: found.stats, viaLink: false };
    } catch (error) {
      throw storeError(error, path);
    } finally {
      if (!handedOver) await folder.close();
    }
  }

  /**
   * Where a link leads, as a vault-relative real path.
   * @throws LecternError `forbidden` when it leads outside, into a hidden folder, nowhere or in a circle
   */
  async linkTarget(folder: Folder, link: Spelled, path: string): Promise<string> {
    let real: string;
    try {
      real = await fs.realpath(folder.at(link.name));
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw forbidden(path, 'is a symbolic link that leads nowhere');
      throw storeError(error, path);
    }
    const target = this.relative(real);
    if (target === undefined) throw forbidden(path, 'is a symbolic link that leads outside the vault');
    if (isHidden(target)) throw forbidden(path, 'is a symbolic link that leads into a hidden folder');
    return target;
  }

  async #open(place: string, path: string, hidden: boolean): Promise<Folder> {
    if (!this.anchored) return this.#openByName(place, path, hidden);
    const fd = await this.drive.open(place, OPEN_FOLDER);
    try {
      const real = await this.drive.readlink(`${DESCRIPTORS}/${fd}`);
      return this.#anchoredFolder(fd, this.#inside(real, path, hidden));
    } catch (error) {
      await this.drive.close(fd);
      throw error;
    }
  }

  #anchoredFolder(fd: number, path: string): Folder {
    const anchor = `${DESCRIPTORS}/${fd}`;
    return {
      path,
      drive: this.drive,
      at: (name) => `${anchor}/${name}`,
      sync: () => this.#flushes.run(path, () => this.drive.flush(fd)),
      close: () => this.drive.close(fd),
    };
  }

  async #openByName(place: string, path: string, hidden: boolean): Promise<Folder> {
    const real = await fs.realpath(place);
    const relative = this.#inside(real, path, hidden);
    if (!(await fs.stat(real)).isDirectory()) {
      throw Object.assign(new Error(`not a folder: ${real}`), { code: 'ENOTDIR' });
    }
    return {
      path: relative,
      drive: this.drive,
      at: (name) => (name === '' ? real : join(real, name)),
      sync: () => this.#flushes.run(relative, () => syncByName(real)),
      close: async () => undefined,
    };
  }

  #inside(real: string, path: string, hidden: boolean): string {
    const relative = this.relative(real);
    if (relative === undefined) throw forbidden(path, 'leads outside the vault');
    if (hidden ? relative !== path : isHidden(relative)) throw forbidden(path, 'leads into a hidden folder');
    return relative;
  }
}

/** @throws LecternError `invalid_path` for paths that could leave the vault or reach a hidden folder */
export function checkReadable(path: string): void {
  refuse(path, readablePathProblem(path));
}

/** Like {@link checkReadable}; on Windows also the names that open devices or cannot be held. */
export function checkWritable(path: string): void {
  refuse(
    path,
    process.platform === 'win32'
      ? creatablePathProblem(path, { allowUnlinkable: true })
      : readablePathProblem(path),
  );
}

function refuse(path: string, problem: ReturnType<typeof readablePathProblem>): void {
  if (problem === undefined) return;
  throw new LecternError('invalid_path', `The path ${JSON.stringify(path)} ${problem.reason}.`, {
    details: { path },
    next: problem.next,
  });
}

/** True when any segment starts with a dot. */
export function isHidden(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}

/** An unmounted or deleted vault must never look like an empty one. */
export function rootGone(root: string): LecternError {
  return new LecternError('unavailable', 'The vault folder is gone or its drive is not connected.', {
    next: 'Connect the drive or restore the folder; Lectern goes on by itself.',
    cause: new Error(root),
  });
}

async function syncByName(path: string): Promise<void> {
  // Windows cannot flush folders; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const handle = await fs.open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
