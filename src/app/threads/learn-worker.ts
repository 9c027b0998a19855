import { parentPort, workerData } from 'node:worker_threads';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { learnModel } from '../../search/embed/local-lsa/learn.ts';
import { Pacer } from '../../search/pacer.ts';
import type { LearnWorkerData } from './learn-thread.ts';

/** The thread that learns the local vector model, once. It only reads, and any message stops it. */
const { indexPath, dialect, notes } = workerData as LearnWorkerData;
const port = parentPort;
if (!port) throw new Error('Models are learned in a worker thread only.');

const stop = new AbortController();
port.once('message', () => stop.abort());
const vectors = openVectorWriter(indexPath);
try {
  const pacer = new Pacer(Number.POSITIVE_INFINITY, stop.signal);
  const learned = await learnModel(vectors, notes, dialect, pacer);
  port.postMessage(learned, learned ? [learned.data.buffer] : []);
} catch (error) {
  if (!stop.signal.aborted) throw error;
} finally {
  vectors.close();
  port.close();
}
