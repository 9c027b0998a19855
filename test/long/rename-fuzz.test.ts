import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Random } from '../patch/random.ts';
import { filesOfArchive } from '../patch/vault-archives.ts';
import { fuzzRenames } from '../support/rename-fuzz.ts';
import { discard, openTestVault } from '../support/test-vault.ts';

/**
 * Thousands of random moves in copies of real vaults. LECTERN_SHARED names the folder that holds
 * `vaults/*.tar.gz`; without one there is nothing to move.
 */
const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));

test.each([
  ['tasks-docs', 1500, 10],
  ['oldwinter', 1000, 25],
  ['powershell-docs', 1000, 25],
])('%s keeps every link through %i moves and is undone to the byte', async (name, moves, batch) => {
  const archive = join(SHARED, 'vaults', `${name}.tar.gz`);
  if (!existsSync(archive)) {
    console.log(`Skipped: ${archive} is not there (set LECTERN_SHARED).`);
    return;
  }
  const files: Record<string, Uint8Array> = {};
  for (const { path, bytes } of filesOfArchive(archive)) {
    // Archives hold one top folder; settings count, other hidden files do not.
    const inside = path.slice(path.indexOf('/') + 1);
    if (!/(^|\/)\./.test(inside) || inside === '.obsidian/app.json') files[inside] = bytes;
  }
  const vault = await openTestVault(files);
  const start = performance.now();
  const outcome = await fuzzRenames(vault, new Random(7), { moves, batch });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${name}: ${Object.keys(files).length} files, ${JSON.stringify(outcome)} in ${seconds} s`);
  expect(outcome.moved).toBeGreaterThanOrEqual(moves);
  await vault.close();
  discard(vault);
});
