import type { BigIntStats, Dir, Dirent } from 'node:fs';
import * as fs from 'node:fs/promises';
import { LecternError } from '../../errors.ts';
import { readablePathProblem } from '../../notes/path.ts';
import { NOT_DOWNLOADED } from '../not-downloaded.ts';
import type { StoreEntry, StoreListing, StoreProblem } from '../store.ts';
import { type Containment, type Folder, isHidden, rootGone } from './contain/contain.ts';
import { hasCode, storeError } from './contain/errno.ts';
import { entryOf, isBlockless, specialKind } from './contain/identity.ts';
import { type Looked, statPlain } from './contain/stat-plain.ts';
import { placeholderOf, standsFor } from './icloud.ts';
import { sweep } from './swap/sweep.ts';
import { isTempName } from './swap/temp.ts';

export interface ListOptions {
  readonly maxBytes: number;
  /** Files and whole folders to leave out. */
  readonly ignore?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives every folder that was read, vault-relative. */
  readonly onFolder?: ((path: string) => void) | undefined;
}

/** Names read and stat'ed in one slice. Larger chunks gain nothing and block the event loop longer. */
const CHUNK = 64;
const PARALLEL_FOLDERS = 8;
/**
 * Every visible file below a folder. Hidden: names that start with a dot, at any depth. Symbolic links are
 * not followed: a target inside the vault is listed under its real path, and one outside is reported as a
 * problem. Temporary files of crashed writers are recovered on the way.
 * @param prefix vault-relative folder; an absent one has no files, an absent vault is `unavailable`
 */
export async function listFiles(
  wall: Containment,
  prefix: string,
  options: ListOptions,
): Promise<StoreListing> {
  const start = await wall.folder(prefix, prefix === '' ? false : isHidden(prefix));
  if (start === undefined) {
    if (prefix === '' || (await isRootGone(wall))) throw rootGone(wall.root);
    return { entries: [], problems: [] };
  }
  await start.close();
  const walk = new Walk(wall, options);
  await walk.run(start.path);
  return walk.listing();
}

async function isRootGone(wall: Containment): Promise<boolean> {
  return fs.access(wall.root).then(
    () => false,
    () => true,
  );
}

class Walk {
  readonly #entries: StoreEntry[] = [];
  readonly #problems: StoreProblem[] = [];
  /** Files held by iCloud, found by their stubs. */
  readonly #stubs: StoreEntry[] = [];
  /** Files without a block on disk: placeholders, if this drive counts blocks at all. */
  readonly #blockless: StoreEntry[] = [];
  readonly #queue: string[] = [];
  readonly #wall: Containment;
  readonly #options: ListOptions;
  #countsBlocks = false;
  #hasSaved = false;

  constructor(wall: Containment, options: ListOptions) {
    this.#wall = wall;
    this.#options = options;
  }

  async run(start: string): Promise<void> {
    this.#queue.push(start);
    const running = new Set<Promise<void>>();
    while (this.#queue.length > 0 || running.size > 0) {
      while (this.#queue.length > 0 && running.size < PARALLEL_FOLDERS) {
        const folder: Promise<void> = this.#folder(this.#queue.pop() ?? '').finally(() =>
          running.delete(folder),
        );
        running.add(folder);
      }
      try {
        await Promise.race(running);
      } catch (error) {
        await Promise.allSettled(running);
        throw error;
      }
    }
  }

  listing(): StoreListing {
    for (const entry of this.#blockless)
      this.#entries.push(this.#countsBlocks ? { ...entry, isPlaceholder: true } : entry);
    // Right after a download both exist.
    const present = new Set(this.#stubs.length > 0 ? this.#entries.map(({ path }) => path) : []);
    this.#entries.push(...this.#stubs.filter(({ path }) => !present.has(path)));
    for (const { path, isPlaceholder } of this.#entries)
      if (isPlaceholder) this.#problem(path, 'cloud_placeholder', NOT_DOWNLOADED);
    const entries = this.#withoutTwins();
    if (!this.#hasSaved) return { entries, problems: this.#problems };
    return {
      entries: [...new Map(entries.map((entry) => [entry.path, entry])).values()],
      problems: this.#problems,
    };
  }

  async #folder(path: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const { drive } = this.#wall;
    let folder: Folder | undefined;
    let dir: Dir;
    try {
      folder = await this.#wall.folder(path, isHidden(path));
      // Removed, or replaced by a link, since its parent was read.
      if (folder === undefined || folder.path !== path) {
        await folder?.close();
        return;
      }
      dir = await drive.openFolder(folder.at(''), CHUNK);
    } catch (error) {
      await folder?.close();
      const { message } = storeError(error, path);
      if (path === '') throw storeError(error, path);
      this.#problem(path, 'unreadable', message);
      return;
    }
    try {
      this.#options.onFolder?.(path);
      for (;;) {
        const chunk = await drive.nextEntries(dir, CHUNK);
        if (chunk.length === 0) break;
        this.#options.signal?.throwIfAborted();
        await this.#chunk(folder, chunk);
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error) || error instanceof LecternError) throw error;
      this.#problem(path, 'unreadable', storeError(error, path).message);
    } finally {
      await drive.closeFolder(dir).catch(() => undefined);
      await folder.close();
    }
  }

  async #chunk(folder: Folder, chunk: readonly Dirent[]): Promise<void> {
    const files: string[] = [];
    const prefix = folder.path === '' ? '' : `${folder.path}/`;
    for (const entry of chunk) {
      const { name, isUtf8 } = decoded(entry.name);
      const path = prefix + name;
      if (name.startsWith('.')) {
        if (isTempName(name)) {
          for (const saved of await sweep(folder, name)) {
            // The listing of the folder may or may not include files recovered just now.
            this.#hasSaved = true;
            files.push(saved);
          }
        } else await this.#hiddenName(folder, name);
        continue;
      }
      if (!isUtf8) {
        this.#problem(path, 'name_not_utf8', 'Its name is not valid UTF-8; rename it to make it readable.');
      } else if (this.#options.ignore?.(path) === true) {
        // Excluded by the owner; nothing to report.
      } else if (name.includes('\\') || readablePathProblem(name) !== undefined) {
        this.#problem(path, 'unreadable', 'Its name cannot be written as a path of a vault; rename it.');
      } else if (entry.isDirectory()) {
        this.#queue.push(path);
      } else if (entry.isSymbolicLink()) {
        await this.#link(folder, name, path);
      } else {
        files.push(name);
      }
    }
    const stats =
      (await statPlain(this.#wall, folder, files)) ??
      (await Promise.all(files.map((name) => this.#stat(folder.at(name)))));
    for (const [index, name] of files.entries()) {
      const path = prefix + name;
      const found = stats[index];
      if (found instanceof Error) {
        // A file removed since its folder was read is not a problem.
        if (!hasCode(found, 'ENOENT')) this.#problem(path, 'unreadable', storeError(found, path).message);
      } else if (found !== undefined) {
        this.#file(path, found);
      }
    }
  }

  async #stat(place: string): Promise<Looked> {
    try {
      return await this.#wall.drive.lstat(place);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #file(path: string, stats: BigIntStats): void {
    if (!stats.isFile()) {
      this.#problem(path, 'special_file', `It is ${specialKind(stats)} and is never opened.`);
      return;
    }
    const entry = entryOf(path, stats);
    if (entry.size > 0 && stats.blocks > 0n) this.#countsBlocks = true;
    if (isBlockless(stats)) {
      this.#blockless.push(entry);
      return;
    }
    this.#entries.push(entry);
    if (entry.kind !== 'attachment' && entry.size > this.#options.maxBytes) {
      this.#problem(path, 'too_large', `It has ${entry.size} bytes; the limit is ${this.#options.maxBytes}.`);
    }
  }

  async #link(folder: Folder, name: string, path: string): Promise<void> {
    try {
      const stats = await fs.lstat(folder.at(name), { bigint: true });
      await this.#wall.linkTarget(folder, { name, stats }, path);
    } catch (error) {
      const { code, message } = storeError(error, path);
      this.#problem(path, code === 'forbidden' ? 'outside_vault' : 'unreadable', message);
    }
  }

  async #hiddenName(folder: Folder, name: string): Promise<void> {
    const real = standsFor(decoded(name).name);
    if (real === undefined || readablePathProblem(real) !== undefined) return;
    const path = folder.path === '' ? real : `${folder.path}/${real}`;
    if (this.#options.ignore?.(path) === true) return;
    const stub = await this.#stat(folder.at(decoded(name).name));
    if (!(stub instanceof Error) && stub.isFile()) this.#stubs.push(placeholderOf(path, stub));
  }

  #problem(path: string, code: StoreProblem['code'], message: string): void {
    this.#problems.push({ path, code, message });
  }

  /** Two spellings of one name mean one note: the composed spelling is served, the other reported. */
  #withoutTwins(): readonly StoreEntry[] {
    const byKey = new Map<string, StoreEntry>();
    const dropped = new Set<StoreEntry>();
    for (const entry of this.#entries) {
      if (!/[^\x00-\x7f]/.test(entry.path)) continue;
      const key = entry.path.normalize('NFC');
      const other = byKey.get(key);
      if (other === undefined || other.path === entry.path) {
        byKey.set(key, entry);
        continue;
      }
      const winner = preferred(other, entry, key);
      const loser = winner === entry ? other : entry;
      byKey.set(key, winner);
      dropped.add(loser);
      this.#problem(
        loser.path,
        'duplicate_name',
        'Another file has the same name in a different Unicode spelling; rename one of them.',
      );
    }
    return dropped.size === 0 ? this.#entries : this.#entries.filter((entry) => !dropped.has(entry));
  }
}

/** @param raw a name as `latin1` */
function decoded(raw: string): { readonly name: string; readonly isUtf8: boolean } {
  if (!/[^\x00-\x7f]/.test(raw)) return { name: raw, isUtf8: true };
  const bytes = Buffer.from(raw, 'latin1');
  const name = bytes.toString('utf8');
  return { name, isUtf8: !name.includes('\ufffd') || Buffer.from(name).equals(bytes) };
}

function preferred(a: StoreEntry, b: StoreEntry, composed: string): StoreEntry {
  if (a.path === composed) return a;
  if (b.path === composed) return b;
  return a.path < b.path ? a : b;
}
