import { workerData } from 'node:worker_threads';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { learnModel } from '../../search/embed/local-lsa/learn.ts';
import { Pacer } from '../../search/pacer.ts';
import { HandedOver, serveCalls } from '../../thread-calls.ts';
import type { LearnCalls, LearnWorkerData } from './learn-thread.ts';
import { servedPort } from './served-port.ts';

/** The thread that trains the local vector model, once. It only reads the index. */
const { indexPath, dialect, notes } = workerData as LearnWorkerData;

const stop = new AbortController();
serveCalls<LearnCalls>(servedPort(), {
  async learn() {
    const vectors = openVectorWriter(indexPath);
    try {
      const learned = await learnModel(
        vectors,
        notes,
        dialect,
        new Pacer(Number.POSITIVE_INFINITY, stop.signal),
      );
      return learned && new HandedOver(learned, [learned.data.buffer as ArrayBuffer]);
    } finally {
      vectors.close();
    }
  },
  stop: () => stop.abort(),
});
