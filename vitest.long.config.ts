import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const COMMON = {
  globalSetup: ['test/build-once.ts'],
  testTimeout: 3 * 60 * 60_000,
  hookTimeout: 10 * 60_000,
};

const propertyTests = ['src', 'test']
  .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)))
  .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes("from 'fast-check'"));

/** Campaigns with fixed seeds: `npm run test:long`. Small slices of them run in `npm test`. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...COMMON,
          name: 'campaigns',
          include: [
            'test/long/**/*.test.ts',
            'test/{install-section,joplin-limits,mcpb,package,process-end,retry-after-kill}.test.ts',
            'test/ai/key.test.ts',
            'test/catalogues/one-note.test.ts',
            'test/vault-copy-joplin.test.ts',
          ],
          env: { LECTERN_CAMPAIGN: '1' },
        },
      },
      {
        test: {
          ...COMMON,
          name: 'properties',
          include: propertyTests,
          // Their short runs are campaigns already.
          exclude: ['src/search/hostile.test.ts', 'test/long/**'],
          setupFiles: ['test/support/fixed-seed.ts', 'test/support/many-runs.ts'],
        },
      },
    ],
  },
});
