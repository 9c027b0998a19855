import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** They open the server inside the test's own process, and loading it takes longer than most of them run. */
const OPENS_SERVER = /support\/(?:test-door|test-vault|mcp-wire|oauth-door|door-setup|generated-vault)\.ts/;
/** Who changes the process, or asks what it is, has modules and a process of their own. */
const NEEDS_PROCESS =
  /vi\.(?:mock|stub|spyOn|setConfig|useFakeTimers)|process\.env(?:\.\w+ =|\[)|delete process|chdir|seteuid|globalThis|(?:loop-probe|browser|terminal)\.ts/;

/** End-to-end tests that can share modules, because nothing in them outlives them. */
const SHARING = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name).replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/long/'))
  .filter((path) => {
    const text = readFileSync(path, 'utf8');
    return OPENS_SERVER.test(text) && !NEEDS_PROCESS.test(text);
  });

/**
 * Three projects. `unit` and `doors` load the modules once for all of their files, which halves the time; a file of `whole`
 * has modules of its own. `npm run test:unit` runs the first, for the minute between two edits.
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
      { test: { ...SHARED, name: 'doors', include: SHARING, isolate: false } },
      {
        test: {
          ...SHARED,
          name: 'whole',
          include: ['test/**/*.test.ts', ...OF_THEIR_OWN],
          exclude: [...configDefaults.exclude, 'test/long/**', ...SHARING],
        },
      },
    ],
  },
});
