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
  /** What fails then is told and ends nothing: nobody waits for it. */
  const once = (work: (job: EmbeddingJob) => void): void =>
    void started.then((job) => job && work(job)).catch(onFailure);
  return {
    wake: () => once((job) => job.wake()),
    pause() {
      let resume: (() => void) | undefined;
      let ended = false;
      once((job) => {
        if (!ended) resume = job.pause();
      });
      return () => {
        ended = true;
        resume?.();
      };
    },
    teach: (teaches) => once((job) => job.teach(teaches)),
    idle: async () => (await started)?.idle(),
    close: async () => (await started)?.close(),
  };
}
