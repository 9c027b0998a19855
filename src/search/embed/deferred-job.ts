import type { EmbeddingJob } from './job.ts';

/**
 * A job whose embedder opens asynchronously: calls are carried out once the job exists.
 * @param onFailure receives the error when it cannot start; every call is then without effect
 */
export function deferredJob(
  starting: Promise<EmbeddingJob>,
  onFailure: (error: unknown) => void,
): EmbeddingJob {
  const started = starting.catch((error: unknown) => {
    onFailure(error);
    return undefined;
  });
  return {
    wake: () => void started.then((job) => job?.wake()),
    pause() {
      let resume: (() => void) | undefined;
      let ended = false;
      void started.then((job) => {
        if (!ended) resume = job?.pause();
      });
      return () => {
        ended = true;
        resume?.();
      };
    },
    teach: (teaches) => void started.then((job) => job?.teach(teaches)),
    idle: async () => (await started)?.idle(),
    close: async () => (await started)?.close(),
  };
}
