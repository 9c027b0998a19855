import { setTimeout as sleep } from 'node:timers/promises';
import { isLecternError } from '../../errors.ts';
import type { VectorIndexWriter } from '../../index/vector-index.ts';
import type { Dialect } from '../../notes/model.ts';
import { Pacer } from '../pacer.ts';
import { embedPending } from './embed-pending.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingState } from './embedding-state.ts';
import { ensureLocalModel, isSettled } from './local-lsa/ensure-model.ts';
import { type LearnedModel, learnModel } from './local-lsa/learn.ts';
import { neuralModelId } from './model-ids.ts';
import { PauseRequests } from './pause-requests.ts';

export interface EmbeddingJobOptions {
  readonly vectors: VectorIndexWriter;
  readonly dialect: Dialect;
  /** In addition to the vectors learned from the vault, which are always kept. */
  readonly neural?: Embedder;
  /** Selects the notes that the vault's own model may learn from. Default: all. Notes that the owner hides are left out. */
  readonly teaches?: (path: string) => boolean;
  readonly onState?: (state: EmbeddingState) => void;
  /** Learns the local model from some of these notes elsewhere; in this thread, between other work, when left out. */
  readonly learn?: (notes: readonly number[], signal: AbortSignal) => Promise<LearnedModel | undefined>;
  /** Names this process; only one at a time embeds a vault. */
  readonly owner?: string;
  /** Quiet time after {@link EmbeddingJob.wake} before work begins, ms: editors save in bursts. */
  readonly settleMs?: number;
}

export interface EmbeddingJob {
  /** Says that notes changed, or that the index is ready. Cheap; call it after every batch. */
  wake(): void;
  /**
   * Pauses the work at its next turn, because a request waits for this thread.
   * @returns a function that ends this pause; the work continues when every pause has ended
   */
  pause(): () => void;
  /** Changes which notes the vault's own model may learn from. A model that other notes contributed to is learned anew. */
  teach(teaches: (path: string) => boolean): void;
  /** Resolves when nothing is pending (or the backend failed and a retry is scheduled). */
  idle(): Promise<void>;
  /** Stops within one slice. What was finished is kept, the rest is pending at the next start. */
  close(): Promise<void>;
}

const CLAIM_MS = 30_000;
const RETRY_MS = 60_000;
/** Learning reports no progress, and may take longer than a claim lasts. */
const RENEW_MS = 10_000;

/**
 * Keeps the vectors equal to the notes, in the background: learns the local model when there is none or
 * the vault has drifted from it, then embeds what is pending, newest notes first, in slices of a few
 * milliseconds. Every batch is committed, so a kill at any moment loses one batch at most.
 */
export function startEmbeddingJob(options: EmbeddingJobOptions): EmbeddingJob {
  const { vectors, settleMs = 300, owner = `${process.pid}.${performance.timeOrigin}` } = options;
  const stop = new AbortController();
  const waiting: (() => void)[] = [];
  const reached = new Map<string, number>();
  let asked = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let teaches = options.teaches ?? (() => true);
  const pauses = new PauseRequests();
  let closing: Promise<void> | undefined;

  const report = (state: Partial<EmbeddingState> & Pick<EmbeddingState, 'state'>): void =>
    options.onState?.({ model: undefined, done: 0, total: 0, message: undefined, ...state });

  async function pass(): Promise<void> {
    if (!vectors.claim(owner, CLAIM_MS)) {
      report({ state: 'elsewhere', message: 'Another process is embedding this vault.' });
      later();
      return;
    }
    const pacer = new Pacer(Number.POSITIVE_INFINITY, stop.signal, () => pauses.gate);
    const renew = () => vectors.claim(owner, CLAIM_MS);
    const { signal } = stop;
    const learn = async (notes: readonly number[]) => {
      const renewing = setInterval(() => {
        try {
          renew();
        } catch {
          // The index is busy: the next time will do.
        }
      }, RENEW_MS);
      try {
        return await (options.learn?.(notes, signal) ?? learnModel(vectors, notes, options.dialect, pacer));
      } finally {
        clearInterval(renewing);
      }
    };
    const work = {
      vectors,
      dialect: options.dialect,
      pacer,
      signal,
      reached,
      report,
      learn,
      renew,
      // By the rule of the moment, which may change meanwhile.
      teaches: (path: string) => teaches(path),
    };
    if (!isSettled(work)) {
      const local = await ensureLocalModel(work);
      if (local) await embedPending(work, local);
    }
    if (options.neural) await embedPending(work, { ...options.neural, id: neuralModelId(options.neural) });
    while (vectors.purge(500)) await pacer.pause();
    report({ state: 'idle' });
  }

  async function run(): Promise<void> {
    while (asked && !stop.signal.aborted) {
      asked = false;
      try {
        await sleep(settleMs, undefined, { signal: stop.signal });
        await pass();
      } catch (error) {
        if (stop.signal.aborted) return;
        report({ state: 'failed', message: messageOf(error) });
        later();
      }
    }
  }

  function later(): void {
    clearTimeout(retry);
    retry = setTimeout(wake, RETRY_MS);
    retry.unref();
  }

  async function shut(): Promise<void> {
    stop.abort();
    clearTimeout(retry);
    pauses.end();
    await running;
    vectors.release(owner);
    vectors.close();
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    asked = true;
    running ??= run().finally(() => {
      running = undefined;
      for (const resolve of waiting.splice(0)) resolve();
    });
  }

  return {
    wake,
    pause: () => pauses.add(),
    teach(changed) {
      teaches = changed;
      wake();
    },
    idle: () => (running ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    close() {
      closing ??= shut();
      return closing;
    },
  };
}

function messageOf(error: unknown): string {
  if (isLecternError(error)) return error.next ? `${error.message} ${error.next}` : error.message;
  return error instanceof Error ? error.message : String(error);
}
