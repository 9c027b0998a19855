import { isLecternError } from '../../errors.ts';
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

/** From this many changed files on, links are resolved once at the end instead of file by file. */
const BULK = 1000;
const READS_AT_ONCE = 16;
/** A quiet moment; every step of upkeep waits for one. */
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
  /** Paths served while the store is being listed: what the listing says of them may be older. */
  #served: Set<string> | undefined;
  #mayTakeOver = false;
  /** All that changed before is in the index, by the clock of the machine; undefined when everything is to be looked at. */
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
    // Before the listing: what changes meanwhile is looked at twice rather than never.
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
   * Looks for what nobody has reported yet: an editor's save is reported up to half a second later. Resolves when the
   * index agrees with the store.
   */
  async sync(): Promise<void> {
    const changes = await this.#reports.next();
    if (changes?.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#syncs.push((error) => (error === undefined ? resolve() : reject(error)));
      this.#notice(changes ?? []);
    });
  }

  /** What the watcher reports waits until as many calls of {@link resume}. */
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
    // From 0 on, so that this message is not one of those that are left out.
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

  /** Until something is to do; a quiet moment is used for the index's upkeep. */
  async #rest(): Promise<void> {
    const isIdle = this.#contents.isUntidy && this.#pauses === 0;
    if (!(await this.#woken(isIdle ? TIDY_AFTER_MS : undefined))) await this.#contents.tidy();
  }

  /** @returns false when nobody woke it within that time */
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
      // Of several versions of one file the last.
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

  /** Follows what was reported, and what was not yet. */
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
      // A removed folder arrives as one event: everything known below it goes.
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

  /** Lists the store, which takes a second for each 20,000 files; somebody who waits for a write is served meanwhile. */
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

  /** A file that cannot be looked at is as good as gone; one on a server that is away is not. */
  async #notSeen(error: unknown): Promise<undefined> {
    if ((await this.#options.store.awaySince?.()) !== undefined) throw error;
    return undefined;
  }

  /** Looks at single paths: gone, unchanged or new. */
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
    // Somebody waits for a write: no first build, which answers nothing until all is in.
    if (written.size > 0) await this.#takeWritten(changed, written);
    else await this.#take(changed);
    this.#problems.send();
  }

  /** Files that were just written. Their bytes are taken as they came while the store has the same version. */
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
      await this.#contents.index([...digests, ...(await readDigests(store, digest, unread))]);
    }
  }

  /**
   * Reads, digests and indexes entries in batches, the next ones being read while these are written;
   * urgent requests are served between batches. Many at once are digested in a thread of their own and
   * go in without links, which are resolved at the end.
   */
  async #take(entries: readonly StoreEntry[]): Promise<void> {
    const { writer } = this.#options;
    const bulk = entries.length >= BULK;
    const ahead = new DigestsAhead(this.#options, entries, bulk);
    if (bulk) await writer.beginBulk();
    try {
      const { state } = this.#state;
      // A few files that changed since the last run are no build: the rest answers.
      const building = state !== 'ready' && (state !== 'checking' || bulk);
      for (let done = 0; !this.#closed; ) {
        if (building) this.#setState({ state: 'building', done, total: entries.length, message: undefined });
        const digests = await ahead.take();
        if (digests === undefined) break;
        await this.#contents.index(digests);
        done += digests.length;
        if (this.#urgent.length > 0) await this.#serveUrgent();
      }
    } finally {
      await ahead.stop();
      // A client that hung up waits a second or two: what remains to be done is for the next start.
      if (bulk && !this.#closed) await writer.endBulk();
    }
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
