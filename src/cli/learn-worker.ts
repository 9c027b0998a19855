import { parentPort, workerData } from 'node:worker_threads';
import { openVectorWriter } from '../index/sqlite/vectors.ts';
import { learnModel } from '../search/embed/local-lsa/learn.ts';
import { Pacer } from '../search/pacer.ts';
import type { LearnWorkerData } from './learn-thread.ts';

/** The thread that learns the local vector model, once. It only reads. */
const { indexPath, dialect, notes } = workerData as LearnWorkerData;
const port = parentPort;
if (!port) throw new Error('Models are learned in a worker thread only.');

const vectors = openVectorWriter(indexPath);
const learned = await learnModel(vectors, notes, dialect, new Pacer(Number.POSITIVE_INFINITY));
vectors.close();
port.postMessage(learned, learned ? [learned.data.buffer] : []);
