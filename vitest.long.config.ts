import { defineConfig } from 'vitest/config';

/** Campaigns with fixed seeds: `npm run test:long`. Small slices of them run in `npm test`. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['test/build-once.ts'],
    testTimeout: 3 * 60 * 60_000,
    hookTimeout: 10 * 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
