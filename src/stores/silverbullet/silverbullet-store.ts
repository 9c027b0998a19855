import { LecternError } from '../../errors.ts';
import { etagOf } from '../../notes/etag.ts';
import { baseName, dirName, pathKey, readablePathProblem } from '../../notes/path.ts';
import { placeAmong } from '../place-among.ts';
import { readEach } from '../read-each.ts';
import { changedByOther, exists, notThere, refuse } from '../refusals.ts';
import type { MoveFileOptions, Origin, Placement, Store, StoredFile, StoreEntry } from '../store.ts';
import { Turns } from '../turns.ts';
import {
  type FileMeta,
  openSilverBulletApi,
  type SilverBulletApi,
  type SilverBulletApiOptions,
} from './api.ts';
import { entryOf } from './entry.ts';
import { checkExtension, checkPath } from './refusals.ts';
import { Space, TRASH } from './space.ts';
import { endingOf, VerifiedWrites } from './verified-writes.ts';

export interface SilverBulletStoreOptions extends SilverBulletApiOptions {
  /** Limit of a file, bytes; larger ones are refused. */
  readonly maxBytes?: number;
  /** Least interval between listings of a server without a stream of changes, ms. */
  readonly listMs?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 8;
/** Key of {@link Turns} for work that changes paths: it runs one after another. */
const PLACES = 'places';

/**
 * Opens a space of a SilverBullet server as a store. No request is sent until a method is called, so the
 * server need not be running.
 *
 * The server has neither a conditional write nor a rename. A file is read and its version compared right
 * before the write; a change that another program makes in the milliseconds between is overwritten. A file is
 * moved by writing it to its new path and then removing the old one.
 */
export function openSilverBulletStore(options: SilverBulletStoreOptions): Store {
  return new SilverBulletStore(openSilverBulletApi(options), options);
}

class SilverBulletStore implements Store {
  readonly kind = 'silverbullet';
  readonly location: string;
  readonly capabilities = { watch: false, ids: false, facts: false };
  readonly #api: SilverBulletApi;
  readonly #space: Space;
  readonly #writes: VerifiedWrites;
  readonly #turns = new Turns();
  readonly #maxBytes: number;

  constructor(api: SilverBulletApi, { maxBytes = MAX_BYTES, listMs }: SilverBulletStoreOptions) {
    this.#api = api;
    this.location = api.location;
    this.#space = new Space(api, listMs);
    this.#writes = new VerifiedWrites(api, this.#space);
    this.#maxBytes = maxBytes;
  }

  async list(prefix = '', signal?: AbortSignal) {
    signal?.throwIfAborted();
    await this.#space.list(signal);
    const below = prefix === '' ? '' : `${prefix}/`;
    const entries = [...this.#space.files.values()]
      .filter(({ name }) => !name.startsWith(TRASH) && name.startsWith(below))
      .map(entryOf);
    return { entries, problems: [] };
  }

  async stat(path: string): Promise<StoreEntry | undefined> {
    checkPath(path);
    const meta = await this.#meta(path);
    return meta && entryOf(meta);
  }

  async read(path: string): Promise<StoredFile> {
    checkPath(path);
    const file = (await this.#read(path)) ?? (await this.#missing(path));
    return { entry: entryOf(file.meta), bytes: file.bytes };
  }

  readMany(paths: readonly string[], signal?: AbortSignal): Promise<readonly StoredFile[]> {
    return readEach(paths, AT_ONCE, (path) => this.read(path), signal);
  }

  /** The file that marks a folder as a space of SilverBullet, whose rules the notes follow. */
  async topNames(): Promise<readonly string[]> {
    return ['.silverbullet.db3'];
  }

  async readSetting(): Promise<undefined> {
    return undefined;
  }

  async placeFor(path: string): Promise<Placement> {
    checkPath(path);
    await this.#space.listIfStale();
    return this.#placeFor(path);
  }

  async create(path: string, bytes: Uint8Array, origin?: Origin): Promise<StoreEntry> {
    this.#checkNew(path, bytes);
    return this.#turns.take(PLACES, async () => {
      const place = await this.#freePlace(path);
      checkExtension(place);
      await this.#writes.put(place, bytes, undefined, origin?.modifiedMs);
      return this.#writes.entryAt(place);
    });
  }

  async replace(path: string, bytes: Uint8Array, { expectedEtag }: { expectedEtag: string }) {
    checkPath(path);
    if (bytes.length > this.#maxBytes) throw this.#tooLarge(path);
    const place = await this.#spelled(path);
    return this.#turns.take(place, async () => {
      const before = (await this.#read(place)) ?? (await this.#missing(place));
      if (etagOf(before.bytes) !== expectedEtag) throw changedByOther(path);
      await this.#writes.put(place, bytes, before.bytes);
      return this.#writes.entryAt(place);
    });
  }

  async move(from: string, to: string, { interrupted = false }: MoveFileOptions = {}): Promise<StoreEntry> {
    checkPath(from);
    checkPath(to);
    checkExtension(to);
    return this.#turns.take(PLACES, async () => {
      await this.#space.listIfStale();
      const { path: place } = this.#placeFor(to);
      const file = await this.#read(from);
      const old = file?.meta.name ?? from;
      if (interrupted) {
        const there = await this.#read(place);
        if (there && (file === undefined || etagOf(file.bytes) === etagOf(there.bytes))) {
          if (file && place !== old) await this.#writes.remove(old);
          return this.#writes.entryAt(place);
        }
      }
      if (file === undefined) return this.#missing(from);
      if (place === old) return entryOf(file.meta);
      const isSame = place.normalize('NFC') === old.normalize('NFC') || pathKey(place) === pathKey(old);
      const there = isSame ? await this.#api.meta(place) : await this.#meta(place);
      if (!isSame && there !== undefined) throw exists(place);
      if (there === undefined) this.#assertFree(place, old);
      if (!isSame) return this.#writes.carry(old, place, file.bytes, file.meta);
      return this.#writes.respell(old, place, file.bytes, file.meta);
    });
  }

  async moveFolder(from: string, to: string): Promise<void> {
    checkPath(from);
    checkPath(to);
    await this.#turns.take(PLACES, async () => {
      await this.#space.list();
      if (!this.#space.folders.hasFolder(from)) {
        if ((await this.#meta(from)) !== undefined)
          throw refuse('forbidden', from, 'is not a folder', 'Pass the path of a folder.');
        throw notThere(from);
      }
      if (to.startsWith(`${from}/`))
        throw refuse('invalid_path', to, 'lies inside the moved folder', 'Choose another place.');
      const { path: place } = this.#placeFor(to);
      const twin = this.#space.folders.foldersLike(place).find((path) => path !== from);
      if (twin !== undefined || this.#space.files.has(place) || this.#hasFileLike(place))
        throw refuse('exists', to, 'exists already', 'Choose another place.');
      const files = [...this.#space.files.keys()].filter((path) => path.startsWith(`${from}/`));
      for (const path of files) {
        const file = await this.#read(path);
        const target = place + path.slice(from.length);
        if (file === undefined) continue;
        if (pathKey(path) === pathKey(target))
          await this.#writes.respell(path, target, file.bytes, file.meta);
        else await this.#writes.carry(path, target, file.bytes, file.meta);
      }
    });
  }

  /** A folder exists only as long as it contains a file. */
  async pruneFolders(): Promise<void> {}

  async trash(path: string): Promise<{ trashPath?: string }> {
    checkPath(path);
    return this.#turns.take(PLACES, async () => {
      const place = await this.#spelled(path);
      const file = (await this.#read(place)) ?? (await this.#missing(place));
      const trashPath = await this.#freeTrashPath(baseName(place));
      await this.#writes.carry(place, trashPath, file.bytes, file.meta);
      return { trashPath };
    });
  }

  async remove(path: string, { expectedEtag }: { expectedEtag: string }): Promise<void> {
    checkPath(path);
    const place = await this.#spelled(path);
    await this.#turns.take(place, async () => {
      const file = (await this.#read(place)) ?? (await this.#missing(place));
      if (etagOf(file.bytes) !== expectedEtag) throw changedByOther(path);
      await this.#writes.remove(place);
    });
  }

  async listTrash() {
    await this.#space.list();
    return [...this.#space.files.values()]
      .filter(({ name }) => name.startsWith(TRASH))
      .map(({ name, size, lastModified }) => ({ trashPath: name, size, mtimeMs: lastModified }));
  }

  async restore(trashPath: string, to: string): Promise<StoreEntry> {
    checkPath(to);
    if (!trashPath.startsWith(TRASH) || readablePathProblem(trashPath) !== undefined)
      throw refuse('invalid_path', trashPath, 'is not a path in the trash', 'Pass a path from its list.');
    return this.#turns.take(PLACES, async () => {
      const file = await this.#api.read(trashPath);
      if (file === undefined) throw refuse('not_found', trashPath, 'does not exist', 'List the trash.');
      return this.#writes.carry(trashPath, await this.#freePlace(to), file.bytes, file.meta);
    });
  }

  async changesSince(cursor: string | undefined, signal?: AbortSignal) {
    if (cursor === undefined) {
      await this.#space.ready();
      return { changes: [], cursor: this.#space.log.cursor };
    }
    await this.#space.follow(signal);
    return this.#space.log.since(cursor);
  }

  awaySince(): Promise<number | undefined> {
    return this.#api.awaySince();
  }

  async watch(): Promise<never> {
    throw new LecternError('unavailable', 'SilverBullet is not watched; it is asked for its changes.');
  }

  async close(): Promise<void> {
    this.#space.close();
  }

  /** Requests the metadata of the file at a path. The file's name may be in another Unicode form. */
  async #meta(path: string): Promise<FileMeta | undefined> {
    const meta = await this.#api.meta(path);
    if (meta !== undefined) {
      this.#space.record(path, meta);
      return meta;
    }
    this.#space.recordRemoved(path);
    const spelled = await this.#otherSpelling(path);
    const other = spelled === undefined ? undefined : await this.#api.meta(spelled);
    if (spelled !== undefined) this.#space.record(spelled, other);
    return other;
  }

  async #read(path: string): Promise<{ meta: FileMeta; bytes: Uint8Array } | undefined> {
    const known = this.#space.files.get(path);
    if (known !== undefined && known.size > this.#maxBytes) throw this.#tooLarge(path);
    let found = await this.#api.read(path);
    if (found === undefined) {
      this.#space.recordRemoved(path);
      const spelled = await this.#otherSpelling(path);
      found = spelled === undefined ? undefined : await this.#api.read(spelled);
    }
    if (found === undefined) return undefined;
    if (found.bytes.length > this.#maxBytes) throw this.#tooLarge(path);
    this.#space.record(found.meta.name, found.meta);
    return found;
  }

  async #otherSpelling(path: string): Promise<string | undefined> {
    // Only a path with non-ASCII characters has another Unicode form.
    if (!/[^\u0000-\u007f]/.test(path)) return undefined;
    await this.#space.ready();
    const spelled = this.#space.spelled(path);
    return spelled === path ? undefined : spelled;
  }

  async #spelled(path: string): Promise<string> {
    return (await this.#meta(path))?.name ?? path;
  }

  async #missing(path: string): Promise<never> {
    await this.#space.listIfStale();
    throw this.#space.folders.hasFolder(path)
      ? refuse('invalid_path', path, 'is a folder, not a file', 'Pass the path of a file.')
      : notThere(path);
  }

  async #freePlace(path: string): Promise<string> {
    await this.#space.listIfStale();
    const { path: place } = this.#placeFor(path);
    // Known folders may be some seconds old; the file itself is requested.
    if ((await this.#meta(place)) !== undefined) throw exists(place);
    this.#assertFree(place);
    return place;
  }

  #placeFor(path: string): Placement {
    return placeAmong(this.#space.folders, path);
  }

  /** @param own the file that is moved to the path */
  #assertFree(path: string, own?: string): void {
    const there = this.#space.spelled(path);
    if ((this.#space.files.has(there) && there !== own) || this.#space.folders.hasFolder(path))
      throw exists(path);
    for (let above = dirName(path); above !== ''; above = dirName(above))
      if (this.#hasFileLike(above))
        throw refuse('invalid_path', path, 'has a file where its folder should be', 'Choose another folder.');
  }

  #hasFileLike(path: string): boolean {
    const key = pathKey(path);
    for (const name of this.#space.files.keys()) if (pathKey(name) === key) return true;
    return false;
  }

  async #freeTrashPath(name: string): Promise<string> {
    const end = endingOf(name);
    const stem = name.slice(0, name.length - end.length);
    for (let number = 1; ; number++) {
      const path = `${TRASH}${stem}${number === 1 ? '' : ` ${number}`}${end}`;
      if ((await this.#api.meta(path)) === undefined) return path;
    }
  }

  #checkNew(path: string, bytes: Uint8Array): void {
    checkPath(path);
    if (bytes.length > this.#maxBytes) throw this.#tooLarge(path);
  }

  #tooLarge(path: string): LecternError {
    return refuse('too_large', path, `is larger than ${this.#maxBytes} bytes`, 'Split the file.');
  }
}
