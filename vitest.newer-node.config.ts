import { defineConfig } from 'vitest/config';
import { GLOBAL_SETUP, SHARED, WORKERS } from './vitest.config.ts';

/** What depends on the Node it runs on: its own SQLite, the file system, threads and processes. */
export default defineConfig({
  test: {
    ...SHARED,
    globalSetup: GLOBAL_SETUP,
    maxWorkers: WORKERS,
    include: [
      'src/{sqlite,index,journal,stores}/**/*.test.ts',
      'src/auth/**/*.test.ts',
      'src/vault/{write,indexer}/**/*.test.ts',
      'src/app/**/*.test.ts',
      'test/{cli-process,http-process,index-reset,kill,parallel-writers,process-end,start,stdio-process}.test.ts',
    ],
  },
});
