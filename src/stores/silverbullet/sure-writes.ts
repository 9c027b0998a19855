import { etagOf } from '../../notes/etag.ts';
import { extension } from '../../notes/path.ts';
import { isAway } from '../presence.ts';
import { refuse } from '../refusals.ts';
import type { StoreEntry } from '../store.ts';
import type { FileMeta, SilverBulletApi } from './api.ts';
import { entryOf } from './entry.ts';
import type { Space } from './space.ts';

/** Writes of which it is known afterwards whether they were made, also when the server went away in the middle. */
export class SureWrites {
  readonly #api: SilverBulletApi;
  readonly #space: Space;

  constructor(api: SilverBulletApi, space: Space) {
    this.#api = api;
    this.#space = space;
  }

  /**
   * Writes bytes. When the server did not answer, the file is read back: what is there as a whole was written, what is
   * there in part is written once more, and what is as before, or somebody else's, is left.
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
    this.#space.took(path, undefined);
  }

  /** Writes a file at a place that is free, and then removes it from where it was. */
  async carry(from: string, to: string, bytes: Uint8Array, meta: FileMeta): Promise<StoreEntry> {
    await this.put(to, bytes, undefined, meta.lastModified);
    const entry = await this.entryAt(to);
    await this.remove(from);
    return entry;
  }

  /** Another spelling of the same name: on some drives both are one file, which must not be removed under its new name. */
  async respell(from: string, to: string, bytes: Uint8Array, meta: FileMeta): Promise<StoreEntry> {
    const end = endingOf(to);
    const between = `${to.slice(0, to.length - end.length)}~${end}`;
    await this.carry(from, between, bytes, meta);
    return this.carry(between, to, bytes, meta);
  }

  /** The entry of what was just put at a path. */
  async entryAt(path: string): Promise<StoreEntry> {
    const meta = await this.#api.meta(path);
    this.#space.took(path, meta);
    if (meta === undefined)
      throw refuse('conflict', path, 'was removed at the same moment', 'List the notes.');
    return entryOf(meta);
  }
}

/** `.md`: what stands behind the last dot, with it. */
export function endingOf(path: string): string {
  const name = extension(path);
  return name === '' ? '' : path.slice(-name.length - 1);
}
