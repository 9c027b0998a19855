import { etagOf } from '../../notes/etag.ts';
import { extension } from '../../notes/path.ts';
import { isAway } from '../presence.ts';
import { refuse } from '../refusals.ts';
import type { StoreEntry } from '../store.ts';
import type { FileMeta, SilverBulletApi } from './api.ts';
import { entryOf } from './entry.ts';
import type { Space } from './space.ts';

/**
 * Writes whose outcome is known even when the connection breaks: an unanswered write is checked by reading.
 */
export class VerifiedWrites {
  readonly #api: SilverBulletApi;
  readonly #space: Space;

  constructor(api: SilverBulletApi, space: Space) {
    this.#api = api;
    this.#space = space;
  }

  /**
   * Writes bytes. After a broken connection the file is read: a complete file counts as written, a partial
   * one is written again, and the error is thrown for an unchanged file or one that another program wrote.
   * @param before the previous bytes; undefined for a new file
   * @param modified modification time for the file, ms since the epoch
   */
  async put(
    path: string,
    bytes: Uint8Array,
    before: Uint8Array | undefined,
    modified?: number,
  ): Promise<void> {
    try {
      await this.#api.put(path, bytes, modified);
    } catch (error) {
      if (!isAway(error)) throw error;
      const now = (await this.#api.read(path))?.bytes;
      if (now !== undefined && etagOf(now) === etagOf(bytes)) return;
      const isAsBefore =
        now === undefined ? before === undefined : before !== undefined && etagOf(now) === etagOf(before);
      const isPart =
        now !== undefined &&
        now.length < bytes.length &&
        etagOf(now) === etagOf(bytes.subarray(0, now.length));
      if (isAsBefore || !isPart) throw error;
      await this.#api.put(path, bytes, modified);
    }
  }

  async remove(path: string): Promise<void> {
    try {
      await this.#api.remove(path);
    } catch (error) {
      if ((await this.#api.meta(path)) !== undefined) throw error;
    }
    this.#space.record(path, undefined);
  }

  /** Writes a file to a free path, then removes it from the old one. */
  async carry(from: string, to: string, bytes: Uint8Array, meta: FileMeta): Promise<StoreEntry> {
    await this.put(to, bytes, undefined, meta.lastModified);
    const entry = await this.entryAt(to);
    await this.remove(from);
    return entry;
  }

  /**
   * Moves a file to another spelling of its path, by way of a third one: on some drives both spellings are
   * the same file, which a direct move would remove.
   */
  async respell(from: string, to: string, bytes: Uint8Array, meta: FileMeta): Promise<StoreEntry> {
    const end = endingOf(to);
    const between = `${to.slice(0, to.length - end.length)}~${end}`;
    await this.carry(from, between, bytes, meta);
    return this.carry(between, to, bytes, meta);
  }

  /**
   * The entry of a file that was just written.
   * @throws LecternError `conflict` when another program removed it at the same moment
   */
  async entryAt(path: string): Promise<StoreEntry> {
    const meta = await this.#api.meta(path);
    this.#space.record(path, meta);
    if (meta === undefined)
      throw refuse('conflict', path, 'was removed at the same moment', 'List the notes.');
    return entryOf(meta);
  }
}

/** The extension with its dot, such as `.md`; '' when there is none. */
export function endingOf(path: string): string {
  const name = extension(path);
  return name === '' ? '' : path.slice(-name.length - 1);
}
