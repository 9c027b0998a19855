import { readdir, realpath } from 'node:fs/promises';
import type { AsyncSubscription, Event } from '@parcel/watcher';
import type { StoreChange, StoreListing } from '../../store.ts';
import { type Containment, isHidden } from '../contain/contain.ts';
import { standsFor } from '../icloud.ts';
import { Burst } from './burst.ts';
import { ChangeBatcher } from './change-batcher.ts';
import { pollFolder } from './poll.ts';
import type { WatchTurn } from './watch-turn.ts';

export interface WatchTarget {
  readonly wall: Containment;
  readonly ignore: ((path: string) => boolean) | undefined;
  /** Folders seen so far: whether a removed path was a folder is known only from here. */
  readonly folders: Set<string>;
  list(): Promise<StoreListing>;
  /** Shared by all watching threads of the process. */
  readonly turn: WatchTurn;
  /** Pause between two listings when polling, ms. */
  readonly pollIntervalMs?: number;
}

type Listener = (changes: readonly StoreChange[]) => void;

/** Interval at which a deleted or unmounted vault is looked for, ms. */
const ROOT_CHECK_MS = 2000;
/**
 * Dot names at any depth, our own temporary names included, except those that stand for a file in iCloud. The
 * watcher applies this to every event; written as globs it costs its engine six times the work.
 */
const HIDDEN = { ignore: [/(?:^|[\\/])\.(?![^\\/]+\.icloud$)/] };
/** From this many events at once, single changes are not reported before everything is listed again. */
const FLOOD = 1500;
/** Folders watched beside the root; with more, the watch on the whole vault is restarted. */
const MAX_EXTRA = 64;

/**
 * Reports changes made by other programs, through the system's notification service, or by polling where that
 * cannot start (no watches left, a file system without events).
 * @param listener gets batches; `rescan` of '' when events were lost or the folder itself was removed or
 *   returned
 */
export async function watchFolder(target: WatchTarget, listener: Listener): Promise<() => Promise<void>> {
  if (target.folders.size === 0) await target.list();
  const watch = new NativeWatch(target, listener);
  await watch.start();
  return () => watch.stop();
}

class NativeWatch {
  readonly #target: WatchTarget;
  readonly #listener: Listener;
  readonly #batcher: ChangeBatcher;
  #subscriptions = new Map<string, AsyncSubscription>();
  #stopPolling: (() => Promise<void>) | undefined;
  #rootCheck: NodeJS.Timeout | undefined;
  #restarting: Promise<void> = Promise.resolve();
  readonly #burst = new Burst(() => this.#batcher.add(''));
  #isRootMissing = false;
  #stopped = false;

  constructor(target: WatchTarget, listener: Listener) {
    this.#target = target;
    this.#listener = listener;
    this.#batcher = new ChangeBatcher({ ...target, onFolder: (path) => this.#watchBelow(path) }, listener);
  }

  async start(): Promise<void> {
    try {
      await this.#subscribe('');
    } catch {
      // No prebuilt watcher for this platform, no watches left, or no events on this file system.
      const { list, pollIntervalMs } = this.#target;
      const options = pollIntervalMs === undefined ? { list } : { list, intervalMs: pollIntervalMs };
      this.#stopPolling = await pollFolder(options, this.#listener);
      return;
    }
    this.#rootCheck = setInterval(() => void this.#checkRoot(), ROOT_CHECK_MS);
    this.#rootCheck.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#batcher.stop();
    this.#burst.stop();
    await this.#restarting;
    await this.#release();
  }

  async #subscribe(path: string): Promise<void> {
    const watcher = await import('@parcel/watcher');
    const subscription = await this.#target.turn.take(() =>
      watcher.subscribe(
        this.#target.wall.absolute(path),
        (error, events) => (error === null ? this.#take(events) : this.#restart()),
        HIDDEN,
      ),
    );
    this.#subscriptions.set(path, subscription);
  }

  #take(events: readonly Event[]): void {
    if (this.#stopped) return;
    this.#burst.add(events.length);
    if (events.length > FLOOD) this.#batcher.add('');
    for (const event of events) {
      const told = this.#target.wall.relative(event.path);
      const path = told === undefined ? undefined : (standsFor(told) ?? told);
      if (path === undefined || isHidden(path)) continue;
      // It may exist again before the next check, but no event will report that.
      if (path === '' && event.type === 'delete') this.#isRootMissing = true;
      if (path === '' || this.#target.ignore?.(path) !== true) this.#batcher.add(path);
    }
  }

  /**
   * On Linux the native watcher watches a new folder, but not the folders that arrived in it (a move, a
   * clone, a quick `mkdir -p`). They are subscribed here, before the folder is listed again.
   */
  async #watchBelow(path: string): Promise<void> {
    if (process.platform !== 'linux' || this.#stopped) return;
    try {
      const entries = await readdir(this.#target.wall.absolute(path), { withFileTypes: true });
      if (!entries.some((entry) => entry.isDirectory() && !isHidden(entry.name))) return;
      if (this.#subscriptions.size > MAX_EXTRA) {
        this.#restart();
        return;
      }
      await this.#unsubscribe(this.#subscriptions.get(path));
      await this.#subscribe(path);
    } catch {
      // Gone again; its removal is reported as usual.
    }
  }

  /** Events were lost or the watched folder was removed: restart and have everything listed again. */
  #restart(): void {
    this.#restarting = this.#restarting.then(async () => {
      if (this.#stopped) return;
      await this.#release();
      await this.start();
      this.#batcher.add('');
    });
  }

  /** The native watcher follows the folder's inode and reports nothing about a new folder at the same path. */
  async #checkRoot(): Promise<void> {
    const { root } = this.#target.wall;
    const exists = await realpath(root).then(
      (real) => real === root,
      () => false,
    );
    if (this.#stopped || exists !== this.#isRootMissing) return;
    this.#isRootMissing = !exists;
    if (exists) this.#restart();
    else this.#batcher.add('');
  }

  /** A folder that is gone cannot be unsubscribed from; nothing is left to release then. */
  async #unsubscribe(subscription: AsyncSubscription | undefined): Promise<void> {
    if (subscription === undefined) return;
    await this.#target.turn.take(() => subscription.unsubscribe()).catch(() => undefined);
  }

  async #release(): Promise<void> {
    clearInterval(this.#rootCheck);
    const subscriptions = [...this.#subscriptions.values()];
    this.#subscriptions = new Map();
    for (const subscription of subscriptions) await this.#unsubscribe(subscription);
    const stopPolling = this.#stopPolling;
    this.#stopPolling = undefined;
    await stopPolling?.();
  }
}
