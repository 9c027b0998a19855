import * as fs from 'node:fs';
import { promisify } from 'node:util';

/**
 * Small questions to the file system: what is this name, where does this descriptor lie. The thread
 * pool needs 15 µs and more for an answer that a local disk's cache has in 3 µs, and one listing asks
 * 100,000 times. So on local file systems they are asked directly, within a time slice per turn of
 * the event loop, and through the pool as soon as the disk turns out to be slow. Network and
 * user-space file systems can hang and are always asked through the pool.
 */
export class Drive {
  readonly #isLocal: boolean;
  #spentMs = 0;
  #resetting = false;
  /** Calls still to go through the pool after a slow one. */
  #detour = 0;
  #nextDetour = FIRST_DETOUR;

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

  /** For folders and links: opening a file may have to wait for its data's drive or lock. */
  open(path: string, flags: number): Promise<number> {
    return this.#ask(
      () => fs.openSync(path, flags),
      () => open(path, flags),
    );
  }

  readlink(path: string): Promise<string> {
    return this.#ask(
      () => fs.readlinkSync(path),
      () => readlink(path),
    );
  }

  /** Of a descriptor that nothing was written through. */
  close(fd: number): Promise<void> {
    return this.#ask(
      () => fs.closeSync(fd),
      () => close(fd),
    );
  }

  async #ask<T>(now: () => T, pooled: () => Promise<T>): Promise<T> {
    if (!this.#isLocal || this.#spentMs > SLICE_MS) return pooled();
    if (this.#detour > 0) {
      this.#detour--;
      return pooled();
    }
    if (!this.#resetting) {
      this.#resetting = true;
      setImmediate(() => {
        this.#resetting = false;
        this.#spentMs = 0;
      });
    }
    const started = performance.now();
    try {
      return now();
    } finally {
      const tookMs = performance.now() - started;
      this.#spentMs += tookMs;
      if (tookMs > SLOW_MS) {
        this.#detour = this.#nextDetour;
        this.#nextDetour *= 2;
      }
    }
  }
}

const BIG = { bigint: true } as const;
const SLICE_MS = 3;
const SLOW_MS = 5;
const FIRST_DETOUR = 1024;
/** `f_type` of ext2-4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs, bcachefs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630, 0xca451a4e,
]);

const lstat = promisify<string, { bigint: true }, fs.BigIntStats>(fs.lstat);
const fstat = promisify<number, { bigint: true }, fs.BigIntStats>(fs.fstat);
const open = promisify<string, number, number>(fs.open);
const readlink = promisify<string, string>(fs.readlink);
const close = promisify<number, void>(fs.close);
