import { workerData } from 'node:worker_threads';
import { preparedInput, transferables } from '../../index/sqlite/write/rows.ts';
import { digest } from '../../vault/indexer/digest.ts';
import { serveDigests } from '../../vault/indexer/digest-thread.ts';
import { openStore } from '../open-store.ts';
import type { DigestWorkerData } from './digest-thread.ts';
import { servedPort } from './served-port.ts';

/** The thread that reads and digests files while many are to be indexed. */
const { place, dialect } = workerData as DigestWorkerData;

serveDigests(
  servedPort(),
  await openStore(place),
  (entry, bytes) => {
    const { input, problem } = digest(entry, bytes, dialect);
    return { input: preparedInput(input, dialect), problem };
  },
  transferables,
);
