import { vi } from 'vitest';

const TIMES = 30;

/** Every property is tried with thirty times as many inputs as in the short run. */
vi.mock('fast-check', async (importOriginal) => {
  const original = await importOriginal<typeof import('fast-check')>();
  const assert = ((property: never, parameters: { numRuns?: number } = {}) =>
    original.assert(property, {
      ...parameters,
      numRuns: (parameters.numRuns ?? 100) * TIMES,
    })) as typeof original.assert;
  return { ...original, assert, default: { ...original.default, assert } };
});
