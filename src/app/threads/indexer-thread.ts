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
  /** Notes the owner lets clients read; the local model is trained on no others. */
  readonly read?: PathRule;
}

// Called before the first indexer starts, so that all of them share one lock for the native watcher.
WatchTurn.ofProcess();

/** Starts the indexer's thread. It does not keep the process running. */
export function startIndexerThread(data: IndexerWorkerData): IndexerPort {
  return startWorker('indexer-worker', {
    workerData: data,
    name: 'lectern-indexer',
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
}
