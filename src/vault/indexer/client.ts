import { LecternError } from '../../errors.ts';
import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { StoredFile, StoreProblem } from '../../stores/store.ts';
import { ThreadCalls } from '../../thread-calls.ts';
import type { PathRule } from '../access.ts';
import type { ChangeFeed } from '../events.ts';
import type { IndexState } from '../session.ts';
import { Absence } from '../while-away.ts';
import { BuildProgress } from './build-progress.ts';
import type { IndexerCalls, IndexerEvent, IndexerPort } from './protocol.ts';

/** The server thread's client of the indexer. */
export class IndexerClient {
  readonly #calls: ThreadCalls<IndexerCalls, IndexerEvent>;
  readonly #opened: Promise<void>;
  #closing = false;
  #state: IndexState = { state: 'building', done: 0, total: 0, message: undefined };
  #embedding: EmbeddingState = { state: 'idle', model: undefined, done: 0, total: 0, message: undefined };
  #problems: readonly StoreProblem[] = [];
  readonly #stateListeners = new Set<() => void>();
  readonly #progress = new BuildProgress();
  /** Since when the server behind the store is away; whoever asks it for something writes here what came of it. */
  readonly absence = new Absence();
  #hasReported = false;
  /** Work announced with {@link owe}. */
  #owed: Promise<unknown> | undefined;

  constructor(port: IndexerPort, feed: ChangeFeed, log: (level: 'warn' | 'error', message: string) => void) {
    let opened: () => void = () => {};
    let failed: (error: unknown) => void = () => {};
    this.#opened = new Promise((resolve, reject) => {
      opened = resolve;
      failed = reject;
    });
    this.#opened.catch(() => {});
    const ended = (error: Error): LecternError => {
      const gone = new LecternError('unavailable', 'The indexer stopped.', {
        cause: error,
        next: 'Restart the server; reading and writing notes still works.',
      });
      failed(gone);
      if (!this.#closing) {
        this.#setState({ ...this.#state, state: 'failed', message: 'The indexer stopped.' });
        log('error', `The indexer stopped: ${error.message}`);
      }
      return gone;
    };
    this.#calls = new ThreadCalls<IndexerCalls, IndexerEvent>(port, {
      ended,
      onEvent: (event) => {
        switch (event.type) {
          case 'opened':
            return opened();
          case 'state':
            this.#hasReported = true;
            return this.#setState(event.state);
          case 'away':
            this.absence.since = event.since;
            return;
          case 'embedding':
            this.#embedding = event.state;
            return;
          case 'changes':
            return feed.publish(event.changes);
          case 'problems':
            this.#problems = event.problems;
            return;
          case 'log':
            return log(event.level, event.message);
        }
      },
    });
  }

  get state(): IndexState {
    return this.#state;
  }

  get embedding(): EmbeddingState {
    return this.#embedding;
  }

  get problems(): readonly StoreProblem[] {
    return this.#problems;
  }

  /**
   * Whether a listing has confirmed that a cloud drive holds this file's bytes; some such files look like
   * ordinary ones by themselves.
   */
  isPlaceholder(path: string): boolean {
    return this.#problems.some((problem) => problem.code === 'cloud_placeholder' && problem.path === path);
  }

  /** Resolves when the index file can be read, before anything is indexed. */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** Resolves when the index has caught up with the store for the first time. */
  async ready(): Promise<void> {
    await this.#until(() => this.#state.state === 'ready');
  }

  /**
   * Marks the index complete because a reader found it so, left by the previous run. Used until the indexer's
   * thread reports a state.
   */
  foundComplete(): void {
    if (!this.#hasReported && this.#state.state === 'building')
      this.#setState({ state: 'checking', done: 0, total: 0, message: undefined });
  }

  /**
   * Resolves when no build is running, or after `limitMs`; at once when the build is estimated to take
   * longer.
   * @throws the signal's reason when it aborts
   */
  async built(limitMs: number, signal?: AbortSignal): Promise<void> {
    const isOver = () =>
      limitMs === 0 || this.#state.state !== 'building' || this.#progress.takesLongerThan(limitMs);
    await this.#until(isOver, limitMs, signal);
  }

  /** Resolves when the previous run's index has been compared with the files, or after the given time, ms. */
  async compared(limitMs: number, signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#state.state !== 'checking', limitMs, signal);
  }

  /**
   * Resolves when queries answer from the stored bytes of these paths.
   * @param written the files whose bytes the caller has
   */
  index(paths: readonly string[], written: readonly StoredFile[] = []): Promise<void> {
    return this.#calls.ask('index', { paths, written });
  }

  /** Registers index work left by a write that was already answered, so that readers wait for it. */
  owe(work: Promise<unknown>): void {
    const owed = Promise.allSettled([this.#owed, work]).then(() => {
      if (this.#owed === owed) this.#owed = undefined;
    });
    this.#owed = owed;
  }

  /**
   * Resolves when the index holds every answered write, or has failed to take it; undefined when nothing is
   * outstanding.
   */
  caughtUp(): Promise<unknown> | undefined {
    return this.#owed;
  }

  /**
   * Holds back watcher reports, since a large write needs the processors; `index` and `sync` still run.
   * @returns a function that ends the pause
   */
  pause(): () => void {
    const ask = (type: 'pause' | 'resume') => void this.#calls.ask(type, undefined).catch(() => {}); // It has stopped, and said so.
    ask('pause');
    return () => ask('resume');
  }

  /** Resolves when the index matches every file in the store. */
  sync(): Promise<void> {
    return this.#calls.ask('sync', undefined);
  }

  rebuild(): Promise<void> {
    return this.#calls.ask('rebuild', undefined);
  }

  /** Updates which notes the owner lets clients read; resolves when the local model will train on no others. */
  teach(read: PathRule): Promise<void> {
    return this.#calls.ask('teach', read);
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#calls.ask('close', undefined).catch(() => {});
    await this.#calls.terminate();
  }

  #setState(state: IndexState): void {
    this.#state = state;
    this.#progress.note(state, performance.now());
    for (const listener of [...this.#stateListeners]) listener();
  }

  /** Resolves when a state fulfils `condition`, or after `limitMs`. */
  #until(condition: () => boolean, limitMs?: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (condition()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => () => {
        clearTimeout(timer);
        this.#stateListeners.delete(look);
        signal?.removeEventListener('abort', abort);
        end();
      };
      const done = settle(resolve);
      const abort = settle(() => reject(signal?.reason));
      const look = () => {
        if (condition()) done();
      };
      const timer = limitMs === undefined ? undefined : setTimeout(done, limitMs);
      this.#stateListeners.add(look);
      signal?.addEventListener('abort', abort);
    });
  }
}
