import type { BigIntStats } from 'node:fs';
import { versionOf } from '../contain/identity.ts';

/** Time after a sign of another writer in which the next one is expected, ms. Editors save every two seconds or so. */
const BUSY_MS = 5000;
const MAX_VERSIONS = 4096;
const MAX_PATHS = 1024;

/**
 * Records who writes which note, to distinguish a file that only this store changes from one that an editor
 * is using.
 */
export class Activity {
  /** Versions that this store wrote itself. */
  readonly #own = new Set<string>();
  /** When another writer was last observed, by path. */
  readonly #others = new Map<string, number>();

  wrote(version: string): void {
    this.#own.add(version);
    if (this.#own.size > MAX_VERSIONS) forgetOldest(this.#own);
  }

  /** Records another writer at `path`. */
  noticeOther(path: string): void {
    this.#others.delete(path);
    this.#others.set(path, performance.now());
    if (this.#others.size > MAX_PATHS) forgetOldest(this.#others);
  }

  /**
   * @param current stats of the version in place
   * @param nowNs the drive's own clock, which may differ from this computer's
   */
  isBusy(path: string, current: BigIntStats, nowNs: bigint): boolean {
    if (!this.#own.has(versionOf(current)) && nowNs - current.ctimeNs < BigInt(BUSY_MS) * 1_000_000n) {
      this.noticeOther(path);
    }
    const noticed = this.#others.get(path);
    return noticed !== undefined && performance.now() - noticed < BUSY_MS;
  }
}

function forgetOldest(collection: Set<string> | Map<string, unknown>): void {
  const [oldest] = collection.keys();
  if (oldest !== undefined) collection.delete(oldest);
}
