import { isLecternError } from '../../errors.ts';
import type { NoteIndexWriter } from '../../index/note-index.ts';
import type { Dialect } from '../../notes/model.ts';
import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { EmbeddingJob } from '../../search/embed/job.ts';
import type { Store } from '../../stores/store.ts';
import type { PathRule } from '../access.ts';
import { digest } from './digest.ts';
import type { DigestThread } from './digest-thread.ts';
import { Indexer } from './indexer.ts';
import type { IndexerMessage, IndexerRequest } from './protocol.ts';

/** How the indexer's thread talks back. */
export interface ServerPort {
  post(message: IndexerMessage): void;
  onRequest(listener: (request: IndexerRequest) => void): void;
}

/** What works beside the indexer; without them nothing is embedded and files are digested in its own thread. */
export interface IndexerHelpers {
  readonly startEmbedding?: (onState: (state: EmbeddingState) => void) => EmbeddingJob;
  readonly startDigestThread?: () => DigestThread;
  /** Which notes may teach the vault's own model, by what the owner lets anybody read. */
  readonly teachable?: (read: PathRule) => Promise<(path: string) => boolean>;
}

/** Progress messages are for people: a few per second are enough. */
const STATE_EVERY_MS = 100;
/**
 * How long the embedding job stays quiet after somebody waited for this thread: a large move looks at every file
 * first and then plans, and is waited for all that time.
 */
const HOLD_AFTER_MS = 1000;

/** Runs an indexer behind a message port until it is told to close. */
export async function serveIndexer(
  port: ServerPort,
  store: Store,
  writer: NoteIndexWriter,
  dialect: Dialect,
  helpers: IndexerHelpers = {},
): Promise<void> {
  const embedding = helpers.startEmbedding?.((state) => port.post({ type: 'embedding', state }));
  let lastState = 0;
  let ready = false;
  const report = (error: unknown) =>
    port.post({
      type: 'log',
      level: 'error',
      message: error instanceof Error ? error.message : String(error),
    });
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
      port.post({ type: 'state', state });
    },
    onChanges(changes) {
      port.post({ type: 'changes', changes });
      if (ready) embedding?.wake();
    },
    onProblems: (problems) => port.post({ type: 'problems', problems }),
    onError: report,
  });
  port.post({ type: 'opened' });

  /** Of each pause, what lets the embedding job go on. */
  const pauses: ((() => void) | undefined)[] = [];
  const answer = async (request: IndexerRequest) => {
    let resume = request.type === 'index' || request.type === 'sync' ? embedding?.pause() : undefined;
    try {
      if (request.type === 'index') await indexer.index(request.paths, request.written);
      else if (request.type === 'sync') await indexer.sync();
      else if (request.type === 'rebuild') await indexer.rebuild();
      else if (request.type === 'pause') {
        indexer.pause();
        pauses.push(embedding?.pause());
      } else if (request.type === 'resume') {
        indexer.resume();
        resume = pauses.pop();
      } else if (request.type === 'teach') {
        const teaches = await helpers.teachable?.(request.read);
        if (teaches) embedding?.teach(teaches);
      } else {
        await embedding?.close();
        await indexer.close();
      }
      port.post({ type: 'reply', id: request.id });
    } catch (error) {
      report(error);
      const known = isLecternError(error);
      port.post({
        type: 'reply',
        id: request.id,
        error: {
          code: known ? error.code : 'internal',
          message: known ? error.message : 'The index could not be updated.',
        },
      });
    } finally {
      // Writes come in bursts: the next one should not find the thread busy either.
      if (resume) setTimeout(resume, HOLD_AFTER_MS).unref();
    }
  };
  port.onRequest((request) => void answer(request));
  await indexer.start();
}
