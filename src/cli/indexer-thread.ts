import { Worker } from 'node:worker_threads';
import type { Dialect } from '../notes/model.ts';
import { WatchTurn } from '../stores/folder/watch-turn.ts';
import type { PathRule } from '../vault/access.ts';
import type { IndexerPort } from '../vault/indexer/client.ts';
import type { EmbedderChoice } from './open-embedder.ts';
import { workerUrl } from './worker-url.ts';

export interface IndexerWorkerData {
  readonly folder: string;
  readonly indexPath: string;
  readonly dialect: Dialect;
  readonly embedder?: EmbedderChoice;
  /** What the owner lets anybody read; the rest teaches the vault's own model nothing. */
  readonly read?: PathRule;
  /** Memory of the turn in which all indexers of the process use the native watcher. */
  readonly watchTurn: SharedArrayBuffer;
}

const turn = new WatchTurn();

/** Starts the indexer's thread. It does not keep the process alive. */
export function startIndexerThread(data: Omit<IndexerWorkerData, 'watchTurn'>): IndexerPort {
  const worker = new Worker(workerUrl('indexer-worker'), {
    workerData: { ...data, watchTurn: turn.shared } satisfies IndexerWorkerData,
    name: 'lectern-indexer',
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  return {
    post: (request) => worker.postMessage(request),
    onMessage: (listener) => worker.on('message', listener),
    onExit(listener) {
      worker.on('error', listener);
      worker.on('exit', (code) => listener(new Error(`exit code ${code}`)));
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
