import type { BigIntStats } from 'node:fs';
import { versionOf } from '../contain/identity.ts';

/** How long after a sign of another writer the next one is expected, ms. Editors save every two seconds or so. */
const BUSY_MS = 5000;
const MAX_VERSIONS = 4096;
const MAX_PATHS = 1024;

/** Who writes to which note: tells a file that only this store changes from one an editor is at work on. */
export class Activity {
  /** Versions that this store wrote itself. */
  readonly #own = new Set<string>();
  /** When another writer was last noticed, by path. */
  readonly #others = new Map<string, number>();

  wrote(version: string): void {
    this.#own.add(version);
    if (this.#own.size > MAX_VERSIONS) forgetOldest(this.#own);
  }

  /** Another writer was noticed at `path` just now. */
  noticeOther(path: string): void {
    this.#others.delete(path);
    this.#others.set(path, performance.now());
    if (this.#others.size > MAX_PATHS) forgetOldest(this.#others);
  }

  /**
   * @param current the version in place
   * @param nowNs the drive's own clock, as its times may differ from this computer's
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
