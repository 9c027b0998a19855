import { configDefaults, defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/**
 * The tests beside the sources that need no process, no watcher and no module of their own: `npm run test:unit`, for
 * the minute between two edits. Modules are loaded once for all of them, which halves the time.
 */
export default defineConfig({
  test: {
    ...config.test,
    include: ['src/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'src/app/threads/**',
      'src/auth/timing.test.ts',
      'src/http/rest/events.test.ts',
      'src/stores/folder/**',
      'src/vault/indexer/digest-thread.test.ts',
      'src/vault/write/index-later.test.ts',
    ],
    isolate: false,
  },
});
