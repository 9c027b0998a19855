import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ContractOptions } from '../store-contract.ts';
import { openFolderStore } from './folder-store.ts';

/** Two folder stores on one fresh folder, for the contract tests. */
export const folderHarness: ContractOptions = {
  open: async (files, options) => {
    const root = await fs.mkdtemp(join(tmpdir(), 'lectern-store-'));
    for (const [path, content] of Object.entries(files)) {
      await fs.mkdir(dirname(join(root, path)), { recursive: true });
      await fs.writeFile(join(root, path), content);
    }
    const store = await openFolderStore({ root, ...options });
    const outside = await openFolderStore({ root });
    return {
      store,
      outside,
      dispose: async () => {
        await store.close();
        await outside.close();
        await fs.rm(root, { recursive: true, force: true });
      },
    };
  },
};
