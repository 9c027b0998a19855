import type * as Fs from 'node:fs';
import { vi } from 'vitest';
import { describeStoreContract } from '../store-contract.ts';
import { folderHarness } from './folder-harness.ts';

// As on drives that have no hard links: FAT, exFAT, many network file systems.
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof Fs>()),
  linkSync: () => {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
}));

describeStoreContract('The folder store on a drive without hard links', folderHarness);
