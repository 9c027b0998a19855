import { parentPort, workerData } from 'node:worker_threads';
import { openVectorWriter } from '../index/sqlite/vectors.ts';
import { openIndexWriter } from '../index/sqlite/writer.ts';
import { type EmbeddingJob, type EmbeddingState, startEmbeddingJob } from '../search/embed/job.ts';
import { lateJob } from '../search/embed/late-job.ts';
import { openFolderStore } from '../stores/folder/folder-store.ts';
import { serveIndexer } from '../vault/indexer/serve.ts';
import { startDigestThread } from './digest-thread.ts';
import type { IndexerWorkerData } from './indexer-thread.ts';
import { openEmbedder } from './open-embedder.ts';

/** The indexer's thread: its own store and the index's only writer in this process. */
const { folder, indexPath, dialect, embedder } = workerData as IndexerWorkerData;
const port = parentPort;
if (!port) throw new Error('The indexer runs in a worker thread only.');

await serveIndexer(
  {
    post: (message) => port.postMessage(message),
    onRequest: (listener) => port.on('message', listener),
  },
  await openFolderStore({ root: folder }),
  openIndexWriter(indexPath, { dialect }),
  dialect,
  {
    startDigestThread: () => startDigestThread({ folder, dialect }),
    startEmbedding: (onState) => lateJob(startJob(onState)),
  },
);

/** A model that cannot be opened is reported by the server's thread; the vectors learned from the vault go on without it. */
async function startJob(onState: (state: EmbeddingState) => void): Promise<EmbeddingJob> {
  const neural =
    embedder && (await openEmbedder(embedder.setting, embedder.environment).catch(() => undefined));
  return startEmbeddingJob({
    vectors: openVectorWriter(indexPath),
    dialect,
    onState,
    ...(neural && { neural }),
  });
}
