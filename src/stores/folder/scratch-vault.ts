import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Store } from '../store.ts';
import { type FolderStoreOptions, openFolderStore } from './folder-store.ts';

/** A vault in a new folder for one test, beside a folder that no vault path may reach. */
export interface ScratchVault {
  readonly root: string;
  readonly outside: string;
  readonly store: Store;
}

export const encode = (text: string) => new TextEncoder().encode(text);
export const decode = (data: Uint8Array) => new TextDecoder().decode(data);

export async function scratchVault(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Omit<FolderStoreOptions, 'root'> = {},
): Promise<ScratchVault> {
  const base = await fs.mkdtemp(join(tmpdir(), 'lectern-vault-'));
  const root = join(base, 'vault');
  const outside = join(base, 'outside');
  await fs.mkdir(root);
  await fs.mkdir(outside);
  await fs.writeFile(join(outside, 'secret.md'), 'secret');
  for (const [path, content] of Object.entries(files)) {
    await fs.mkdir(dirname(join(root, path)), { recursive: true });
    await fs.writeFile(join(root, path), content);
  }
  const store = await openFolderStore({ root, ...options });
  onTestFinished(async () => {
    await store.close();
    await fs.rm(base, { recursive: true, force: true });
  });
  return { root, outside, store };
}

/** Every name below a folder, hidden ones included, sorted. */
export async function everyName(root: string): Promise<string[]> {
  const entries = await fs.readdir(root, { recursive: true });
  return entries.sort();
}
