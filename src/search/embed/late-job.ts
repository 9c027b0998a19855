import type { EmbeddingJob } from './job.ts';

/** A job whose embedder takes its time to open: what is asked of it meanwhile is done when it is there. */
export function lateJob(starting: Promise<EmbeddingJob>): EmbeddingJob {
  return {
    wake: () => void starting.then((job) => job.wake()),
    hold() {
      let letGo: (() => void) | undefined;
      let ended = false;
      void starting.then((job) => {
        if (!ended) letGo = job.hold();
      });
      return () => {
        ended = true;
        letGo?.();
      };
    },
    teach: (teaches) => void starting.then((job) => job.teach(teaches)),
    idle: async () => (await starting).idle(),
    close: async () => (await starting).close(),
  };
}
