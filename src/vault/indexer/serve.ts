import { isLecternError, LecternError } from '../../errors.ts';
import type { NoteIndexWriter } from '../../index/note-index.ts';
import type { Dialect } from '../../notes/model.ts';
import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { EmbeddingJob } from '../../search/embed/job.ts';
import type { Store } from '../../stores/store.ts';
import { type CallHandlers, serveCalls } from '../../thread-calls.ts';
import type { PathRule } from '../access.ts';
import { digest } from './digest.ts';
import type { DigestThread } from './digest-thread.ts';
import { Indexer } from './indexer.ts';
import type { IndexerCalls, IndexerEvent, ServedIndexerPort } from './protocol.ts';

/** Threads beside the indexer; without them nothing is embedded and files are digested in the indexer's own thread. */
export interface IndexerHelpers {
  readonly startEmbedding?: (onState: (state: EmbeddingState) => void) => EmbeddingJob;
  readonly startDigestThread?: () => DigestThread;
  /** Which notes may train the local model, by the owner's read rules. */
  readonly teachable?: (read: PathRule) => Promise<(path: string) => boolean>;
}

/** Progress messages are for people: a few per second are enough. */
const STATE_EVERY_MS = 100;
/**
 * How long the embedding job pauses after a request to this thread: a large move first scans every file and
 * then plans, and clients wait all that time.
 */
const HOLD_AFTER_MS = 1000;

/** Runs an indexer behind a message port until it is asked to close. */
export async function serveIndexer(
  port: ServedIndexerPort,
  store: Store,
  writer: NoteIndexWriter,
  dialect: Dialect,
  helpers: IndexerHelpers = {},
): Promise<void> {
  const tell = (event: IndexerEvent) => port.post({ event }, []);
  let lastState = 0;
  let ready = false;
  const report = (error: unknown) =>
    tell({
      type: 'log',
      level: 'error',
      message: error instanceof Error ? error.message : String(error),
    });
  const embedding = startedJob(
    () => helpers.startEmbedding?.((state) => tell({ type: 'embedding', state })),
    report,
  );
  const indexer = new Indexer({
    store,
    writer,
    digest: (entry, bytes) => digest(entry, bytes, dialect),
    ...(helpers.startDigestThread && { startDigestThread: helpers.startDigestThread }),
    onState(state) {
      ready = state.state === 'ready';
      if (ready) embedding?.wake();
      const now = performance.now();
      if (state.state === 'building' && state.done > 0 && now - lastState < STATE_EVERY_MS) return;
      lastState = now;
      tell({ type: 'state', state });
    },
    onAway: (since) => tell({ type: 'away', since }),
    onChanges(changes) {
      tell({ type: 'changes', changes });
      if (ready) embedding?.wake();
    },
    onProblems: (problems) => tell({ type: 'problems', problems }),
    onError: report,
  });
  tell({ type: 'opened' });

  /** For each pause, the function that resumes the embedding job. */
  const pauses: ((() => void) | undefined)[] = [];
  /** Writes come in bursts: the next one should find the thread idle too. */
  const later = (resume: (() => void) | undefined) => {
    if (resume) setTimeout(resume, HOLD_AFTER_MS).unref();
  };
  const waitedFor = async (work: () => Promise<void>): Promise<void> => {
    const resume = embedding?.pause();
    try {
      await work();
    } finally {
      later(resume);
    }
  };
  serveCalls<IndexerCalls, IndexerEvent>(
    port,
    told(report, {
      index: ({ paths, written }) => waitedFor(() => indexer.index(paths, written)),
      sync: () => waitedFor(() => indexer.sync()),
      rebuild: () => indexer.rebuild(),
      pause() {
        indexer.pause();
        pauses.push(embedding?.pause());
      },
      resume() {
        indexer.resume();
        later(pauses.pop());
      },
      async teach(read) {
        const teaches = await helpers.teachable?.(read);
        if (teaches) embedding?.teach(teaches);
      },
      async close() {
        await embedding?.close();
        await indexer.close();
      },
    }),
  );
  await indexer.start();
}

/** Without vectors there is no search by meaning; indexing goes on. */
function startedJob(
  start: () => EmbeddingJob | undefined,
  report: (error: unknown) => void,
): EmbeddingJob | undefined {
  try {
    return start();
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** The same handlers with every failure logged; an unexpected error is turned into a message for callers. */
function told(
  report: (error: unknown) => void,
  handlers: CallHandlers<IndexerCalls>,
): CallHandlers<IndexerCalls> {
  const tellOf =
    <Input>(handler: (input: Input, signal: AbortSignal) => unknown) =>
    async (input: Input, signal: AbortSignal): Promise<void> => {
      try {
        await handler(input, signal);
      } catch (error) {
        report(error);
        if (isLecternError(error)) throw error;
        throw new LecternError('internal', 'The index could not be updated.', { cause: error });
      }
    };
  return {
    index: tellOf(handlers.index),
    sync: tellOf(handlers.sync),
    rebuild: tellOf(handlers.rebuild),
    pause: tellOf(handlers.pause),
    resume: tellOf(handlers.resume),
    teach: tellOf(handlers.teach),
    close: tellOf(handlers.close),
  };
}
