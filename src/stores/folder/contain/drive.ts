import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { Slowness } from '../slowness.ts';
import { hasCode } from './errno.ts';

/**
 * Small requests to the file system, such as stat, readlink and reading a note. The thread pool needs 15 µs
 * and more for an answer that a local disk's cache has in 3 µs, and one listing makes 100,000 requests. On
 * local file systems they are therefore synchronous, within a time slice per turn of the event loop, and go
 * through the pool once the disk proves slow. Requests to network and user-space file systems, which can
 * hang, always go through the pool, and so does everything that waits for a disk: writing, flushing, large
 * reads.
 */
export class Drive {
  readonly #isLocal: boolean;
  #spentMs = 0;
  /** Resolves at the end of this turn of the event loop; undefined before its first request. */
  #turn: Promise<void> | undefined;
  readonly #slowness = new Slowness();

  private constructor(isLocal: boolean) {
    this.#isLocal = isLocal;
  }

  static async at(root: string): Promise<Drive> {
    if (process.platform !== 'linux') return new Drive(false);
    const { type } = await fs.promises.statfs(root);
    return new Drive(LOCAL.has(type));
  }

  lstat(path: string): Promise<fs.BigIntStats> {
    return this.#ask(
      () => fs.lstatSync(path, BIG),
      () => lstat(path, BIG),
    );
  }

  fstat(fd: number): Promise<fs.BigIntStats> {
    return this.#ask(
      () => fs.fstatSync(fd, BIG),
      () => fstat(fd, BIG),
    );
  }

  /** @param mode permission bits before the umask, for a file that is made */
  open(path: string, flags: number, mode = 0o666): Promise<number> {
    return this.#ask(
      () => fs.openSync(path, flags, mode),
      () => open(path, flags, mode),
    );
  }

  /** @returns bytes read into `buffer` from `offset` on; 0 at the end of the file */
  read(fd: number, buffer: Buffer, offset: number, position: number): Promise<number> {
    const length = buffer.length - offset;
    if (length > LARGE) return read(fd, buffer, offset, length, position);
    return this.#ask(
      () => fs.readSync(fd, buffer, offset, length, position),
      () => read(fd, buffer, offset, length, position),
    );
  }

  async write(fd: number, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) done += await write(fd, bytes, done, bytes.length - done, done);
  }

  /** @param ms since the epoch */
  setModified(fd: number, ms: number): Promise<void> {
    return setTimes(fd, new Date(), ms / 1000);
  }

  /** Resolves when everything written through this descriptor is on disk. */
  flush(fd: number): Promise<void> {
    return flush(fd);
  }

  /** A missing file is no error. */
  async remove(path: string): Promise<void> {
    try {
      await this.#ask(
        () => fs.unlinkSync(path),
        () => unlink(path),
      );
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }

  /**
   * Names are returned as `latin1`, one character per byte: names that are not UTF-8 survive, and no buffer
   * is created per name.
   * @param chunk names returned by one system call
   */
  openFolder(path: string, chunk: number): Promise<fs.Dir> {
    const options = { encoding: 'latin1' as const, bufferSize: chunk };
    return this.#ask(
      () => fs.opendirSync(path, options),
      () => fs.promises.opendir(path, options),
    );
  }

  /** Up to `most` more entries of an open folder; none at its end. */
  nextEntries(folder: fs.Dir, most: number): Promise<readonly fs.Dirent[]> {
    return this.#ask(
      () => {
        const entries: fs.Dirent[] = [];
        while (entries.length < most) {
          const entry = folder.readSync();
          if (entry === null) break;
          entries.push(entry);
        }
        return entries;
      },
      async () => {
        const entries: fs.Dirent[] = [];
        while (entries.length < most) {
          const entry = await folder.read();
          if (entry === null) break;
          entries.push(entry);
        }
        return entries;
      },
    );
  }

  closeFolder(folder: fs.Dir): Promise<void> {
    return this.#ask(
      () => folder.closeSync(),
      () => folder.close(),
    );
  }

  readlink(path: string): Promise<string> {
    return this.#ask(
      () => fs.readlinkSync(path),
      () => readlink(path),
    );
  }

  /** Data written through the descriptor must have been flushed before. */
  close(fd: number): Promise<void> {
    return this.#ask(
      () => fs.closeSync(fd),
      () => close(fd),
    );
  }

  /**
   * Like {@link close}, for a descriptor that may be the last reference to an unlinked file: the file is
   * deleted then, which waits for the disk.
   */
  closeLast(fd: number): Promise<void> {
    return close(fd);
  }

  /**
   * Several requests in one time slice.
   * @param now makes them synchronously
   * @returns undefined where the drive must not be accessed synchronously
   */
  together<T>(now: () => T): Promise<T | undefined> {
    return this.#ask<T | undefined>(now, async () => undefined);
  }

  async #ask<T>(now: () => T, pooled: () => Promise<T>): Promise<T> {
    if (!this.#isLocal) return pooled();
    while (!this.#slowness.isProven && this.#spentMs > SLICE_MS) await this.#turn;
    if (this.#slowness.isProven) {
      this.#slowness.spared();
      return pooled();
    }
    this.#turn ??= new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = undefined;
        this.#spentMs = 0;
        resolve();
      }),
    );
    const started = performance.now();
    try {
      return now();
    } finally {
      const tookMs = performance.now() - started;
      this.#spentMs += tookMs;
      this.#slowness.note(tookMs);
    }
  }
}

const BIG = { bigint: true } as const;
const SLICE_MS = 3;
/** Bytes whose copying alone takes a noticeable part of a time slice. */
const LARGE = 256 * 1024;
/** `f_type` of ext2-4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs, bcachefs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630, 0xca451a4e,
]);

const lstat = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);
const fstat = promisify<number, { bigint: true }, fs.BigIntStats>(fs.fstat);
const open = promisify<string, number, number, number>(fs.open);
const unlink = promisify(fs.unlink);
const flush = promisify(fs.fsync);
const setTimes = promisify(fs.futimes);
const readlink = promisify<string, string>(fs.readlink);
const close = promisify<number, void>(fs.close);

// The promise versions in `node:fs` return the buffer as well, which is not needed.
function read(fd: number, buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) =>
    fs.read(fd, buffer, offset, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  );
}

function write(
  fd: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) =>
    fs.write(fd, bytes, offset, length, position, (error, count) => (error ? reject(error) : resolve(count))),
  );
}
