import { isLecternError } from '../../errors.ts';
import { Away, isAway } from '../../stores/presence.ts';
import type { StoreChange, StoredFile, StoreEntry, StoreListing } from '../../stores/store.ts';
import type { IndexState } from '../session.ts';
import { BATCH, BATCH_BYTES, batchesOf } from './batches.ts';
import { DigestsAhead } from './digests-ahead.ts';
import { IndexContents } from './index-contents.ts';
import type { IndexerOptions } from './options.ts';
import { ProblemList } from './problem-list.ts';
import { type Digest, readDigests } from './read-digests.ts';
import { isBelow, planReconcile } from './reconcile.ts';
import { StoreReports } from './store-reports.ts';

/** From this many changed files on, links are resolved once at the end instead of per file. */
const BULK = 1000;
const READS_AT_ONCE = 16;
/** Idle time, ms, before each step of upkeep. */
const TIDY_AFTER_MS = 50;
const EVERYTHING: readonly StoreChange[] = [{ kind: 'rescan', path: '' }];

/**
 * Keeps the index equal to the store: reconciles on open, follows the watcher, and takes paths
 * that were just written ahead of everything else. Runs in a worker thread.
 */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #contents: IndexContents;
  readonly #urgent: Urgent[] = [];
  readonly #changes: StoreChange[] = [];
  readonly #syncs: ((error?: unknown) => void)[] = [];
  readonly #problems: ProblemList;
  readonly #reports: StoreReports;
  #wake: (() => void) | undefined;
  #closed = false;
  #pauses = 0;
  /** Paths indexed while the store is being listed; the listing may describe older versions of them. */
  #served: Set<string> | undefined;
  #mayTakeOver = false;
  /**
   * Time, by this machine's clock, up to which all changes are in the index; undefined when everything must
   * be compared.
   */
  #agreedAt: number | undefined;
  #starting: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #state: IndexState;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#reports = new StoreReports({
      store: options.store,
      onChanges: (changes) => this.#notice(changes),
      onFullScan: () => {
        this.#mayTakeOver = true;
        this.#notice(EVERYTHING);
      },
      onError: options.onError,
      ...(options.onAway && { onAway: options.onAway }),
      isReady: () => this.#state.state === 'ready',
    });
    this.#problems = new ProblemList(options.onProblems);
    this.#contents = new IndexContents(options.writer, this.#problems, options.onChanges);
    this.#state = { state: 'building', done: 0, total: 0, message: undefined };
  }

  /** Starts watching, then reconciles in the background. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    await this.#contents.refresh();
    this.#setState({ ...this.#state, state: this.#contents.isComplete ? 'checking' : 'building' });
    // Watch first, then list: a change in between is handled twice rather than missed.
    await this.#reports.open();
    if (this.#closed) return;
    this.#reports.follow();
    this.#notice(EVERYTHING);
    this.#loop = this.#run();
  }

  /** Indexes these paths before anything else; resolves when queries answer from the new text. */
  index(paths: readonly string[], written: readonly StoredFile[] = []): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#urgent.push({
        paths,
        written,
        done: (error) => (error === undefined ? resolve() : reject(error)),
      });
      this.#wake?.();
    });
  }

  /**
   * Looks for changes that were not reported yet (a watcher reports an editor's save up to half a second
   * late). Resolves when the index matches the store.
   */
  async sync(): Promise<void> {
    const changes = await this.#reports.next();
    if (changes?.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#syncs.push((error) => (error === undefined ? resolve() : reject(error)));
      this.#notice(changes ?? []);
    });
  }

  /** Holds watcher reports until {@link resume} was called as often. */
  pause(): void {
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    this.#wake?.();
  }

  /** Forgets every change token, so that each file is read and parsed again. */
  async rebuild(): Promise<void> {
    this.#contents.forgetVersions();
    // Reported from 0 so that this state is not throttled away.
    this.#setState({ state: 'building', done: 0, total: this.#contents.known.size, message: undefined });
    this.#notice(EVERYTHING);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting;
    this.#wake?.();
    await this.#reports.close();
    await this.#loop;
    const closed = new Error('The indexer was closed.');
    for (const request of this.#urgent.splice(0)) request.done(closed);
    for (const done of this.#syncs.splice(0)) done(closed);
    await this.#options.writer.close();
    await this.#options.store.close();
  }

  #notice(changes: readonly StoreChange[]): void {
    this.#changes.push(...changes);
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const isPaused = this.#pauses > 0 && this.#syncs.length === 0;
      const isAsked = this.#urgent.length > 0 || this.#syncs.length > 0;
      if (!isAsked && (this.#changes.length === 0 || isPaused)) {
        await this.#rest();
        continue;
      }
      let waiting: ((error?: unknown) => void)[] = [];
      try {
        await this.#serveUrgent();
        waiting = this.#syncs.splice(0);
        if (waiting.length > 0) await this.#catchUp();
        else if (this.#changes.length > 0 && !isPaused) await this.#follow(this.#changes.splice(0));
        for (const done of waiting.splice(0)) done();
        this.#reports.answered();
        if (this.#state.state !== 'ready' && this.#changes.length === 0) {
          this.#setState({
            state: 'ready',
            done: this.#contents.known.size,
            total: this.#contents.known.size,
            message: undefined,
          });
        }
      } catch (error) {
        await this.#reports.failed(error);
        for (const done of waiting) done(error);
        const message = isLecternError(error) ? error.message : 'Indexing failed; it is tried again.';
        this.#setState({ ...this.#state, state: 'failed', message });
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (this.#changes.length === 0) this.#changes.push(...EVERYTHING);
      }
    }
  }

  /** Waits for work; idle time is used for the index's upkeep. */
  async #rest(): Promise<void> {
    const isIdle = this.#contents.isUntidy && this.#pauses === 0;
    if (!(await this.#woken(isIdle ? TIDY_AFTER_MS : undefined))) await this.#contents.tidy();
  }

  /** @returns false when the time passed without a wake-up */
  async #woken(limitMs?: number): Promise<boolean> {
    const woken = await new Promise<boolean>((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => resolve(false), limitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
    this.#wake = undefined;
    return woken;
  }

  async #serveUrgent(): Promise<void> {
    const requests = this.#urgent.splice(0);
    if (requests.length === 0) return;
    try {
      const paths = [...new Set(requests.flatMap((request) => request.paths))];
      // Of several versions of one file the last one counts.
      const written = new Map(
        requests.flatMap((request) => request.written).map((file) => [file.entry.path, file]),
      );
      for (const path of paths) this.#served?.add(path);
      await this.#check(paths, written);
      for (const request of requests) request.done();
    } catch (error) {
      for (const request of requests) request.done(error);
    }
  }

  /** Indexes the reported changes and those not reported yet. */
  async #catchUp(): Promise<void> {
    const started = Date.now();
    const unreported = this.#reports.tells ? [] : ((await this.#unreported()) ?? EVERYTHING);
    await this.#follow([...this.#changes.splice(0), ...unreported]);
    this.#agreedAt = started;
  }

  async #unreported(): Promise<readonly StoreChange[] | undefined> {
    if (await this.#contents.refresh()) this.#agreedAt = undefined;
    if (this.#agreedAt === undefined) return undefined;
    return this.#options.store.touchedSince?.(this.#agreedAt, this.#contents.known);
  }

  async #follow(changes: readonly StoreChange[]): Promise<void> {
    const started = Date.now();
    const rescans = new Set(
      changes.filter((change) => change.kind === 'rescan').map((change) => change.path),
    );
    const all = rescans.has('');
    if (all) {
      await this.#reconcile('');
      this.#agreedAt = started;
      if (!this.#closed) await this.#contents.markComplete();
    } else for (const prefix of rescans) await this.#reconcile(prefix);
    const covered = (path: string) => all || [...rescans].some((prefix) => isBelow(path, prefix));
    const paths = new Set<string>();
    for (const change of changes) {
      if (change.kind === 'rescan' || covered(change.path)) continue;
      paths.add(change.path);
      // A removed folder is reported as one event: all known files below it are checked.
      if (change.kind === 'removed')
        for (const known of this.#contents.known.keys()) if (isBelow(known, change.path)) paths.add(known);
    }
    await this.#check([...paths]);
  }

  async #reconcile(prefix: string): Promise<void> {
    if (this.#mayTakeOver) {
      await this.#contents.takeOver();
      this.#mayTakeOver = false;
    }
    await this.#contents.refresh();
    const { listing, served } = await this.#list(prefix);
    this.#problems.listed(prefix, listing.problems);
    const plan = planReconcile(this.#contents.known, listing.entries, prefix);
    await this.#contents.apply(
      [],
      plan.removed.filter((path) => !served.has(path)),
    );
    await this.#take(plan.changed.filter(({ path }) => !served.has(path)));
    this.#problems.send();
  }

  /** Lists the store, about one second per 20,000 files; writes that are waited for are indexed meanwhile. */
  async #list(
    prefix: string,
  ): Promise<{ readonly listing: StoreListing; readonly served: ReadonlySet<string> }> {
    const served = new Set<string>();
    this.#served = served;
    let isListed = false;
    const listing = this.#options.store.list(prefix).finally(() => {
      isListed = true;
      this.#wake?.();
    });
    listing.catch(() => {}); // Thrown below.
    try {
      while (!isListed) {
        if (this.#urgent.length > 0) await this.#serveUrgent();
        else await this.#woken();
      }
      return { listing: await listing, served };
    } finally {
      this.#served = undefined;
    }
  }

  /** An unreadable file counts as removed, unless it is on a server that is away. */
  async #notSeen(error: unknown): Promise<undefined> {
    if (isAway(error) || (await this.#options.store.awaySince?.()) !== undefined) throw error;
    return undefined;
  }

  /** Checks single paths: removed, unchanged or new. */
  async #check(
    paths: readonly string[],
    written: ReadonlyMap<string, StoredFile> = new Map(),
  ): Promise<void> {
    const present: StoreEntry[] = [];
    const removed = new Set<string>();
    for (let from = 0; from < paths.length; from += READS_AT_ONCE) {
      const slice = paths.slice(from, from + READS_AT_ONCE);
      const entries = await Promise.all(
        slice.map((path) => this.#options.store.stat(path).catch((error) => this.#notSeen(error))),
      );
      for (const [offset, path] of slice.entries()) {
        const entry = entries[offset];
        if (entry === undefined || entry.path !== path) {
          if (this.#contents.known.has(path)) removed.add(path);
          this.#problems.found(path, undefined);
        }
        if (entry !== undefined) present.push(entry);
      }
    }
    await this.#contents.apply([], [...removed]);
    const changed = present.filter(
      (entry) => this.#contents.known.get(entry.path)?.version !== entry.version,
    );
    // A write is waiting: this must not count as a first build, which answers nothing until it is complete.
    if (written.size > 0) await this.#takeWritten(changed, written);
    else await this.#take(changed);
    this.#problems.send();
  }

  /** Files that were just written. Their bytes are used as received while the store still has the same version. */
  async #takeWritten(
    entries: readonly StoreEntry[],
    written: ReadonlyMap<string, StoredFile>,
  ): Promise<void> {
    const { store, digest } = this.#options;
    for (const batch of batchesOf(entries, BATCH, BATCH_BYTES)) {
      const unread: StoreEntry[] = [];
      const digests: Digest[] = [];
      for (const entry of batch) {
        const file = written.get(entry.path);
        if (file?.entry.version === entry.version) digests.push(digest(entry, file.bytes));
        else unread.push(entry);
      }
      await this.#put([...digests, ...(await readDigests(store, digest, unread))]);
    }
  }

  /**
   * Reads, digests and indexes entries in batches, reading the next batches while the current one is written;
   * urgent requests are served between batches. Large numbers are digested in a separate thread and written
   * without links, which are resolved at the end.
   */
  async #take(entries: readonly StoreEntry[]): Promise<void> {
    const { writer } = this.#options;
    const bulk = entries.length >= BULK;
    const ahead = new DigestsAhead(this.#options, entries, bulk);
    if (bulk) await writer.beginBulk();
    try {
      const { state } = this.#state;
      // A few changed files are not a build: the rest of the index stays available.
      const building = state !== 'ready' && (state !== 'checking' || bulk);
      for (let done = 0; !this.#closed; ) {
        if (building) this.#setState({ state: 'building', done, total: entries.length, message: undefined });
        const digests = await ahead.take();
        if (digests === undefined) break;
        await this.#put(digests);
        done += digests.length;
        if (this.#urgent.length > 0) await this.#serveUrgent();
      }
    } finally {
      await ahead.stop();
      // A client that disconnected waits a second or two for the exit; the rest is left for the next start.
      if (bulk && !this.#closed) await writer.endBulk();
    }
  }

  /** Takes in what could be read; of a server that went away meanwhile the rest is read when it is back. */
  async #put(digests: readonly Digest[]): Promise<void> {
    await this.#contents.index(digests.filter(({ away }) => away === undefined));
    const away = digests.find((digest) => digest.away !== undefined)?.away;
    if (away !== undefined) throw new Away(away, { next: 'Start it again.' });
  }

  #setState(state: IndexState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

interface Urgent {
  readonly paths: readonly string[];
  readonly written: readonly StoredFile[];
  readonly done: (error?: unknown) => void;
}
