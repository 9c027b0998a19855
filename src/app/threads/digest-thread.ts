import type { StorePlace } from '../../config/store-place.ts';
import type { Dialect } from '../../notes/model.ts';
import { type DigestThread, digestThread } from '../../vault/indexer/digest-thread.ts';
import { startWorker } from './worker-port.ts';

export interface DigestWorkerData {
  readonly place: StorePlace;
  readonly dialect: Dialect;
}

/** Starts a thread that reads and digests a vault's files. It does not keep the process running. */
export function startDigestThread(workerData: DigestWorkerData): DigestThread {
  return digestThread(
    startWorker('digest-worker', {
      workerData,
      name: 'lectern-digest',
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    }),
  );
}
