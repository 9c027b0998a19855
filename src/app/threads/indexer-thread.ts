import type { StorePlace } from '../../config/store-place.ts';
import type { Dialect } from '../../notes/model.ts';
import { WatchTurn } from '../../stores/folder/watch/watch-turn.ts';
import type { PathRule } from '../../vault/access.ts';
import type { IndexerPort } from '../../vault/indexer/protocol.ts';
import type { EmbedderChoice } from '../open-embedder.ts';
import { startWorker } from './worker-port.ts';

export interface IndexerWorkerData {
  readonly place: StorePlace;
  readonly indexPath: string;
  readonly dialect: Dialect;
  readonly embedder?: EmbedderChoice;
  /** What the owner lets anybody read; the rest teaches the vault's own model nothing. */
  readonly read?: PathRule;
}

// Before the first indexer is started: all of them take the same turn at the native watcher.
WatchTurn.ofProcess();

/** Starts the indexer's thread. It does not keep the process alive. */
export function startIndexerThread(data: IndexerWorkerData): IndexerPort {
  return startWorker('indexer-worker', {
    workerData: data,
    name: 'lectern-indexer',
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}
