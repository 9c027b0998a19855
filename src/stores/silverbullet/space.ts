import { setTimeout as delay } from 'node:timers/promises';
import { readablePathProblem } from '../../notes/path.ts';
import { untilAborted } from '../../stoppable.ts';
import { ChangeLog } from '../change-log.ts';
import { FoldersOfFiles, type KnownFolders } from '../place-among.ts';
import { isAway } from '../presence.ts';
import { inParallel } from '../turns.ts';
import type { FileMeta, SilverBulletApi } from './api.ts';

/** Lectern's trash. Other programs for SilverBullet keep theirs beside it, in one folder per month. */
export const TRASH = '_trash/lectern/';
/** Parallel requests. */
const AT_ONCE = 8;
/**
 * Without a stream of changes, everything is listed again at this interval, ms, or 20 times the duration of
 * the last listing when that is longer.
 */
const LIST_MS = 2_000;
const LISTING_FACTOR = 20;
/** With a stream, everything is listed at this interval, ms: events may be lost. */
const LIST_WITH_STREAM_MS = 60_000;
/** Interval, ms, at which a closed stream is opened again. */
const STREAM_RETRY_MS = 10_000;
/** At most so many files that are missing from a listing are requested one by one. */
const MOST_VERIFIED = 300;

/** The metadata of all files of a space, from its last listing and the events since. */
export class Space {
  readonly log = new ChangeLog();
  readonly #api: SilverBulletApi;
  readonly #listMs: number;
  #files = new Map<string, FileMeta>();
  #folders: FoldersOfFiles | undefined;
  #byForm: Map<string, string> | undefined;
  #listedAt = 0;
  #listingMs = 0;
  #listing: Promise<void> | undefined;
  #isStreaming = false;
  #streamTriedAt = 0;
  readonly #closed = new AbortController();

  /** @param listMs without a stream of changes everything is listed again, at most this often, ms */
  constructor(api: SilverBulletApi, listMs = LIST_MS) {
    this.#api = api;
    this.#listMs = listMs;
  }

  get files(): ReadonlyMap<string, FileMeta> {
    return this.#files;
  }

  /** Lists everything. Calls during a listing share it. */
  list(signal?: AbortSignal): Promise<void> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    // A caller that aborts stops its own wait, not the listing that others share.
    return signal === undefined ? this.#listing : untilAborted(this.#listing, signal);
  }

  async ready(): Promise<void> {
    if (this.#listedAt === 0) await this.list();
  }

  /** Opens the stream of changes if there is one, and lists everything when the last listing is too old. */
  async follow(signal?: AbortSignal): Promise<void> {
    this.#stream();
    await this.listIfStale(signal);
  }

  /** Lists everything unless the last listing is recent enough: several writes in a row share one listing. */
  async listIfStale(signal?: AbortSignal): Promise<void> {
    const age = Date.now() - this.#listedAt;
    const wait = this.#isStreaming
      ? LIST_WITH_STREAM_MS
      : Math.max(this.#listMs, this.#listingMs * LISTING_FACTOR);
    if (age >= wait) await this.list(signal);
  }

  /** Records the metadata of one file; undefined = it does not exist. */
  record(path: string, meta: FileMeta | undefined): void {
    if (!isServed(path) && !path.startsWith(TRASH)) return;
    if (meta === undefined) this.#files.delete(path);
    else this.#files.set(path, meta);
    this.#folders = undefined;
    this.#byForm = undefined;
    if (path.startsWith(TRASH)) return;
    if (meta === undefined) this.log.gone(path);
    else this.log.note(path, path, versionOf(meta));
  }

  /** Records that no file has exactly this path. */
  recordRemoved(path: string): void {
    if (this.#files.has(path)) this.record(path, undefined);
  }

  /** The path as the space spells it, found in any Unicode form; the given path when there is none. */
  spelled(path: string): string {
    if (this.#files.has(path)) return path;
    this.#byForm ??= new Map([...this.#files.keys()].map((name) => [name.normalize('NFC'), name]));
    return this.#byForm.get(path.normalize('NFC')) ?? path;
  }

  get folders(): KnownFolders {
    this.#folders ??= new FoldersOfFiles(this.#files.keys());
    return this.#folders;
  }

  close(): void {
    this.#closed.abort();
  }

  async #list(): Promise<void> {
    const started = Date.now();
    const items = await this.#api.list();
    const found = new Map<string, FileMeta>();
    for (const item of items) if (item.size >= 0 && isKept(item.name)) found.set(item.name, item);
    await this.#keepUnlisted(found);
    this.#files = found;
    this.#folders = undefined;
    this.#byForm = undefined;
    this.#listedAt = Date.now();
    this.#listingMs = this.#listedAt - started;
    this.log.compare(this.#versions());
  }

  /**
   * A listing may be older than a write that came later, so missing files are requested one by one before
   * they count as removed.
   */
  async #keepUnlisted(found: Map<string, FileMeta>): Promise<void> {
    const lost = [...this.#files.keys()].filter((path) => !found.has(path));
    await inParallel(lost.slice(0, MOST_VERIFIED), AT_ONCE, async (path) => {
      const meta = await this.#api.meta(path);
      if (meta !== undefined) found.set(path, meta);
    });
  }

  *#versions(): Generator<readonly [string, string, string]> {
    for (const [path, meta] of this.#files) if (isServed(path)) yield [path, path, versionOf(meta)];
  }

  /** Opens the stream of changes and follows it until it ends. */
  #stream(): void {
    if (this.#isStreaming || Date.now() - this.#streamTriedAt < STREAM_RETRY_MS) return;
    this.#streamTriedAt = Date.now();
    const { signal } = this.#closed;
    void this.#api.events(signal).then(async (stream) => {
      if (stream === undefined) return;
      this.#isStreaming = true;
      try {
        // Changes before the stream was open are found by a listing.
        await this.list(signal);
        for await (const name of namesIn(stream)) await this.#onEvent(name);
      } catch {
        // It is opened again later; until then everything is listed.
      } finally {
        this.#isStreaming = false;
      }
    });
  }

  async #onEvent(path: string): Promise<void> {
    if (!isKept(path)) return;
    for (let attempt = 0; ; attempt++) {
      try {
        this.record(path, await this.#api.meta(path));
        return;
      } catch (error) {
        if (!isAway(error) || attempt === 2) throw error;
        await delay(200 * (attempt + 1), undefined, { signal: this.#closed.signal });
      }
    }
  }
}

/** The change token of a file, `mtime:size`. */
export function versionOf({ lastModified, size }: Pick<FileMeta, 'lastModified' | 'size'>): string {
  return `${lastModified}:${size}`;
}

/**
 * Files that the server itself provides, and paths with a part that starts with a dot, are not part of the
 * vault.
 */
function isKept(path: string): boolean {
  return !path.startsWith('_plug/') && readablePathProblem(path) === undefined;
}

function isServed(path: string): boolean {
  return isKept(path) && !path.startsWith(TRASH);
}

/** The file names in a stream of server-sent events. */
async function* namesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      try {
        const { name } = JSON.parse(line.slice('data:'.length)) as { name?: unknown };
        if (typeof name === 'string') yield name;
      } catch {
        // This event does not name a file.
      }
    }
  }
}
