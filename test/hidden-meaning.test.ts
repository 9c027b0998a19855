import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openVault } from '../src/app/open-vault.ts';
import { subjectVault } from '../src/search/embed/testing.ts';
import { OPEN_ACCESS } from '../src/vault/access.ts';
import type { Vault } from '../src/vault/vault.ts';
import { ACTOR } from './support/test-vault.ts';
import { writeTree } from './support/write-tree.ts';

/**
 * Path rules and search by meaning, with the indexer in its own thread as it runs: what the owner hides teaches
 * the vault's own model nothing, and a caller with narrower rules is not told what the others' notes taught it.
 */

let folder: string;
let state: string;
let vault: Vault;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  state = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  const hidden = Array.from({ length: 30 }, (_, at) => [
    `Secret/${at}.md`,
    `# ${at}\n\nguitar chord melody mortgage dividend payroll zeppelin\n`,
  ]);
  writeTree(folder, { ...subjectVault(), ...Object.fromEntries(hidden) });
});

afterEach(async () => {
  await vault.close();
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true });
});

const denying = (...deny: string[]) => ({ ...OPEN_ACCESS, read: { allow: [], deny } });

test('when the owner hides what taught the search, it learns anew from the rest, without a restart', async () => {
  const silent = { warn: () => {}, error: () => {} };
  vault = await openVault({
    place: { kind: 'folder', location: folder },
    stateDir: state,
    rules: OPEN_ACCESS,
    log: silent,
  });
  const session = vault.session(ACTOR);
  const ask = (query: string) => session.search({ query, mode: 'semantic', filter: {}, limit: 50 });
  const mode = async () => (await ask('guitar')).modeUsed;
  await expect.poll(mode, { timeout: 40_000, interval: 250 }).toBe('semantic');
  expect((await ask('guitar chord')).items.some(({ path }) => path.startsWith('Secret/'))).toBe(true);

  vault.setRules(denying('Secret'));
  // The model there was has learned from what is hidden now.
  expect(await mode()).toBe('lexical');
  await expect.poll(mode, { timeout: 40_000, interval: 250 }).toBe('semantic');
  const guitar = await ask('guitar chord');
  expect(guitar.items.length).toBeGreaterThan(5);
  expect(guitar.items.every(({ path }) => !/^(?:Secret|Money)\//.test(path))).toBe(true);
});

test('the owner’s rules hold for what the vault teaches its search, a caller’s for what they are told', async () => {
  const silent = { warn: () => {}, error: () => {} };
  vault = await openVault({
    place: { kind: 'folder', location: folder },
    stateDir: state,
    rules: denying('Secret'),
    log: silent,
  });
  const session = vault.session(ACTOR);
  const ask = (query: string, who = session) =>
    who.search({ query, mode: 'semantic', filter: {}, limit: 50 });
  await expect
    .poll(async () => (await ask('guitar')).modeUsed, { timeout: 40_000, interval: 250 })
    .toBe('semantic');
  const guitar = await ask('guitar chord');
  expect(guitar.items.length).toBeGreaterThan(5);
  expect(guitar.items.every(({ path }) => !/^(?:Secret|Money)\//.test(path))).toBe(true);
  expect(await ask('zeppelin')).toMatchObject({ total: 0, modeUsed: 'lexical' });

  const narrowed = vault.session({ ...ACTOR, session: 's2' }, [denying('Music')]);
  const answer = await ask('oven dough', narrowed);
  expect(answer.modeUsed).toBe('lexical');
  expect(answer.items.some(({ path }) => path.startsWith('Kitchen/'))).toBe(true);
  expect(answer.notice).not.toMatch(/\d/);
});
