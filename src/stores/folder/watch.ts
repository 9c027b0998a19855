import { realpath } from 'node:fs/promises';
import type { Event } from '@parcel/watcher';
import type { StoreChange, StoreListing } from '../store.ts';
import { ChangeBatcher } from './change-batcher.ts';
import { type Containment, isHidden } from './contain.ts';
import { pollFolder } from './poll.ts';

export interface WatchTarget {
  readonly wall: Containment;
  readonly ignore: ((path: string) => boolean) | undefined;
  /** Folders seen so far: a path that vanished may have been one, and only memory can tell. */
  readonly folders: Set<string>;
  list(): Promise<StoreListing>;
}

type Listener = (changes: readonly StoreChange[]) => void;

/** How often a deleted or unmounted vault is looked for. */
const ROOT_CHECK_MS = 1000;
/** Dot names at any depth, our own temporary names among them. */
const HIDDEN = ['**/.*', '**/.*/**'];

/**
 * Reports what other programs change, with the system's own notification service; by polling where
 * that cannot start (no watches left, a file system without events).
 * @param listener gets batches; `rescan` of '' when events were lost or the folder itself went or came back
 */
export async function watchFolder(target: WatchTarget, listener: Listener): Promise<() => Promise<void>> {
  if (target.folders.size === 0) await target.list();
  const native = new NativeWatch(target, listener);
  if (await native.start()) return () => native.stop();
  await native.stop();
  return pollFolder({ list: target.list }, listener);
}

class NativeWatch {
  readonly #target: WatchTarget;
  readonly #batcher: ChangeBatcher;
  #subscription: { unsubscribe(): Promise<void> } | undefined;
  #rootCheck: NodeJS.Timeout | undefined;
  #pollStop: (() => Promise<void>) | undefined;
  #restarting: Promise<void> = Promise.resolve();
  #stopped = false;
  readonly #listener: Listener;

  constructor(target: WatchTarget, listener: Listener) {
    this.#target = target;
    this.#listener = listener;
    this.#batcher = new ChangeBatcher(target, listener);
  }

  /** @returns false when the system cannot watch this folder */
  async start(): Promise<boolean> {
    try {
      // Loaded here, so that a platform without a prebuilt watcher still polls.
      const watcher = await import('@parcel/watcher');
      this.#subscription = await watcher.subscribe(
        this.#target.wall.root,
        (error, events) => (error === null ? this.#take(events) : this.#restart()),
        { ignore: HIDDEN },
      );
    } catch {
      return false;
    }
    this.#rootCheck = setInterval(() => void this.#checkRoot(), ROOT_CHECK_MS);
    this.#rootCheck.unref();
    return true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#rootCheck);
    this.#batcher.stop();
    await this.#restarting;
    await this.#pollStop?.();
    await this.#unsubscribe();
  }

  #take(events: readonly Event[]): void {
    if (this.#stopped) return;
    for (const event of events) {
      const path = this.#target.wall.relative(event.path);
      if (path === undefined) continue;
      if (path === '') {
        this.#batcher.add('');
        continue;
      }
      if (!isHidden(path) && this.#target.ignore?.(path) !== true) this.#batcher.add(path);
    }
  }

  /** Events were lost or the watched folder went away: start over and have everything listed again. */
  #restart(): void {
    this.#restarting = this.#restarting.then(async () => {
      if (this.#stopped) return;
      clearInterval(this.#rootCheck);
      await this.#unsubscribe();
      if (!(await this.start()) && !this.#stopped) {
        this.#pollStop = await pollFolder({ list: this.#target.list }, this.#listener);
      }
      this.#batcher.add('');
    });
  }

  /** The native watcher holds on to a folder by identity and stays silent about one that took its name. */
  #missing = false;
  async #checkRoot(): Promise<void> {
    const exists = await realpath(this.#target.wall.root).then(
      (real) => real === this.#target.wall.root,
      () => false,
    );
    if (this.#stopped) return;
    if (!exists && !this.#missing) {
      this.#missing = true;
      this.#batcher.add('');
    } else if (exists && this.#missing) {
      this.#missing = false;
      this.#restart();
    }
  }

  async #unsubscribe(): Promise<void> {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    // A folder that is gone cannot be unsubscribed from; there is nothing left to release then.
    await subscription?.unsubscribe().catch(() => undefined);
  }
}
