import { workerData } from 'node:worker_threads';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { writerPort } from '../../index/sqlite/write/port.ts';
import { openIndexWriter } from '../../index/sqlite/write/writer.ts';
import { deferredJob } from '../../search/embed/deferred-job.ts';
import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import { type EmbeddingJob, startEmbeddingJob } from '../../search/embed/job.ts';
import { Access, OPEN_ACCESS, type PathRule } from '../../vault/access.ts';
import type { ServedIndexerPort } from '../../vault/indexer/protocol.ts';
import { serveIndexer } from '../../vault/indexer/serve.ts';
import { loadSettings } from '../../vault/load-settings.ts';
import { openEmbedder } from '../open-embedder.ts';
import { openStore } from '../open-store.ts';
import { startDigestThread } from './digest-thread.ts';
import type { IndexerWorkerData } from './indexer-thread.ts';
import { learnInThread } from './learn-thread.ts';
import { servedPort } from './served-port.ts';

/** The indexer's thread: its own store and the index's only writer in this process. */
const { place, indexPath, dialect, embedder, read } = workerData as IndexerWorkerData;
const port: ServedIndexerPort = servedPort();
const store = await openStore(place);

await serveIndexer(port, store, writerPort(openIndexWriter(indexPath, { dialect })), dialect, {
  startDigestThread: () => startDigestThread({ place, dialect }),
  startEmbedding: (onState) => deferredJob(startJob(onState), (error) => reportFailure(error, onState)),
  teachable,
});

/** Notes that no search shows, because of the owner's rules or the vault's settings, are not used for training. */
async function teachable(rule: PathRule): Promise<(path: string) => boolean> {
  const settings = await loadSettings(store, () => {});
  const access = new Access([{ ...OPEN_ACCESS, read: rule }]);
  return (path) => access.mayRead(path) && !settings.isExcluded(path);
}

/** The server's thread reports a model that cannot be opened; the vectors learned from the vault work without it. */
async function startJob(onState: (state: EmbeddingState) => void): Promise<EmbeddingJob> {
  const neural =
    embedder && (await openEmbedder(embedder.setting, embedder.environment).catch(() => undefined));
  return startEmbeddingJob({
    vectors: openVectorWriter(indexPath),
    dialect,
    onState,
    learn: (notes, signal) => learnInThread({ indexPath, dialect, notes }, signal),
    ...(neural && { neural }),
    teaches: await teachable(read ?? OPEN_ACCESS.read),
  });
}

/** The index works without vectors; only search by meaning does not. */
function reportFailure(error: unknown, onState: (state: EmbeddingState) => void): void {
  const text = error instanceof Error ? error.message : String(error);
  const message = `Semantic vectors cannot be built: ${text}`;
  port.post({ event: { type: 'log', level: 'error', message } }, []);
  onState({ state: 'failed', model: undefined, done: 0, total: 0, message });
}
