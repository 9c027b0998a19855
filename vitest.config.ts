import { configDefaults, defineConfig } from 'vitest/config';

export const SHARED = {
  setupFiles: ['test/support/fixed-seed.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  pool: 'forks',
} as const;

export const GLOBAL_SETUP = ['test/build-once.ts'];
/** One more than cores on a small machine: tests of processes wait much of their time. */
export const WORKERS = 3;

/** Tests beside the sources that need a process, a watcher, or modules of their own. */
const OF_THEIR_OWN = [
  'src/app/threads/**/*.test.ts',
  'src/auth/timing.test.ts',
  'src/http/rest/events.test.ts',
  'src/stores/folder/**/*.test.ts',
  'src/vault/indexer/digest-thread.test.ts',
  'src/vault/write/index-later.test.ts',
];

/**
 * Two projects. `unit` loads the modules once for all of its files, which halves the time; a file of `whole` has
 * modules of its own. `npm run test:unit` runs the first, for the minute between two edits.
 */
export default defineConfig({
  test: {
    globalSetup: GLOBAL_SETUP,
    maxWorkers: WORKERS,
    projects: [
      {
        test: {
          ...SHARED,
          name: 'unit',
          include: ['src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OF_THEIR_OWN],
          isolate: false,
        },
      },
      {
        test: {
          ...SHARED,
          name: 'whole',
          include: ['test/**/*.test.ts', ...OF_THEIR_OWN],
          exclude: [...configDefaults.exclude, 'test/long/**'],
        },
      },
    ],
  },
});
