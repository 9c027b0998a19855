import { lstat, type Stats } from 'node:fs';
import type { StoreChange } from '../../store.ts';
import type { Containment } from '../contain/contain.ts';

/** Time without an event that ends a batch, ms; the native watcher itself gathers events for 50 ms. */
const QUIET_MS = 20;
/** Longest time, ms, before a continuous stream of changes is reported. */
const MAX_WAIT_MS = 200;
/** Above this number one listing is cheaper than single stats, and cannot miss anything. */
const RESCAN_ABOVE = 20_000;
const PARALLEL_STATS = 64;

export interface BatchTarget {
  readonly wall: Containment;
  readonly folders: Set<string>;
  /** Called with a new folder. Awaited before the folder is reported. */
  readonly onFolder?: (path: string) => Promise<void>;
}

/**
 * Gathers changed paths and determines each change by a stat: editors save by create and rename, so the state
 * after the events is more reliable than their order.
 */
export class ChangeBatcher {
  readonly #target: BatchTarget;
  readonly #listener: (changes: readonly StoreChange[]) => void;
  #paths = new Set<string>();
  #quiet: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** Batches are reported one after another, in order. */
  #reporting: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(target: BatchTarget, listener: (changes: readonly StoreChange[]) => void) {
    this.#target = target;
    this.#listener = listener;
  }

  /** @param path vault-relative; '' = everything */
  add(path: string): void {
    if (this.#stopped) return;
    this.#paths.add(path);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#flush(), QUIET_MS);
    this.#deadline ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#quiet);
    clearTimeout(this.#deadline);
  }

  #flush(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    const paths = this.#paths;
    this.#paths = new Set();
    this.#reporting = this.#reporting.then(async () => {
      const changes = await this.#changes(paths);
      if (!this.#stopped && changes.length > 0) this.#listener(changes);
    });
  }

  async #changes(paths: ReadonlySet<string>): Promise<readonly StoreChange[]> {
    if (paths.has('') || paths.size > RESCAN_ABOVE) return [{ kind: 'rescan', path: '' }];
    const all = [...paths];
    const changes: StoreChange[] = [];
    for (let start = 0; start < all.length; start += PARALLEL_STATS) {
      const part = await Promise.all(
        all.slice(start, start + PARALLEL_STATS).map((path) => this.#change(path)),
      );
      for (const change of part) if (change !== undefined) changes.push(change);
    }
    const rescans = new Set(changes.filter(({ kind }) => kind === 'rescan').map(({ path }) => path));
    return rescans.size === 0 ? changes : changes.filter((change) => !isCovered(change, rescans));
  }

  async #change(path: string): Promise<StoreChange | undefined> {
    const stats = await look(this.#target.wall.absolute(path));
    if (stats === undefined) {
      // A folder that was moved or deleted; its contents are not reported separately.
      return { kind: this.#target.folders.delete(path) ? 'rescan' : 'removed', path };
    }
    if (stats.isDirectory()) {
      // New, moved here, or replaced by another one of its name: its contents were not reported.
      this.#target.folders.add(path);
      await this.#target.onFolder?.(path);
      return { kind: 'rescan', path };
    }
    // Links and special files are left for a listing to judge; they are not notes.
    return { kind: stats.isFile() ? 'changed' : 'removed', path };
  }
}

function isCovered(change: StoreChange, rescans: ReadonlySet<string>): boolean {
  for (let slash = change.path.lastIndexOf('/'); slash > 0; slash = change.path.lastIndexOf('/', slash - 1)) {
    if (rescans.has(change.path.slice(0, slash))) return true;
  }
  return false;
}

/** Unreadable counts as removed: nothing in it can be served, and a listing reports the reason. */
function look(path: string): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    lstat(path, (error, stats) => resolve(error === null ? stats : undefined));
  });
}
