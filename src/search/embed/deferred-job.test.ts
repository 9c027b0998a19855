import { expect, it } from 'vitest';
import { deferredJob } from './deferred-job.ts';

it('a job that cannot start is reported once, and every call of it ends', async () => {
  const failures: unknown[] = [];
  const job = deferredJob(Promise.reject(new Error('no model')), (error) => failures.push(error));
  job.wake();
  job.teach(() => true);
  job.pause()();
  await job.idle();
  await job.close();
  expect(failures).toEqual([new Error('no model')]);
});

it('a pause that was ended before the job started does not pause it', async () => {
  const calls: string[] = [];
  let start: () => void = () => {};
  const starting = new Promise<void>((resolve) => {
    start = resolve;
  });
  const real = {
    wake: () => calls.push('wake'),
    pause: () => {
      calls.push('pause');
      return () => calls.push('resume');
    },
    teach: () => {},
    idle: async () => {},
    close: async () => {},
  };
  const job = deferredJob(
    starting.then(() => real),
    () => {},
  );
  job.pause()();
  const resume = job.pause();
  job.wake();
  start();
  await job.idle();
  resume();
  expect(calls).toEqual(['pause', 'wake', 'resume']);
});

it('what fails in a job that started is reported, and ends nothing', async () => {
  const failures: unknown[] = [];
  const broken = () => {
    throw new Error('the disk is full');
  };
  const job = deferredJob(
    Promise.resolve({
      wake: broken,
      pause: broken,
      teach: broken,
      idle: async () => {},
      close: async () => {},
    }),
    (error) => failures.push(error),
  );
  job.wake();
  job.pause();
  job.teach(() => true);
  await job.idle();
  await expect.poll(() => failures.length).toBe(3);
});
