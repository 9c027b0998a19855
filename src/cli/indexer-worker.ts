import { parentPort, workerData } from 'node:worker_threads';
import { openVectorWriter } from '../index/sqlite/vectors.ts';
import { openIndexWriter } from '../index/sqlite/writer.ts';
import { startEmbeddingJob } from '../search/embed/job.ts';
import { openFolderStore } from '../stores/folder/folder-store.ts';
import { serveIndexer } from '../vault/indexer/serve.ts';
import type { IndexerWorkerData } from './indexer-thread.ts';

/** The indexer's thread: its own store and the index's only writer in this process. */
const { folder, indexPath, dialect } = workerData as IndexerWorkerData;
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
  (onState) => startEmbeddingJob({ vectors: openVectorWriter(indexPath), dialect, onState }),
);
