import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { openIndexReader } from '../../index/sqlite/read/reader.ts';

const open: HeldVault[] = [];
afterEach(async () => {
  for (const vault of open) {
    vault.release();
    await vault.close();
  }
  for (const vault of open.splice(0)) discard(vault);
});

const tool = 'test';
const REFERRERS = 300;
const FILES = {
  'Hub.md': 'hub\n',
  ...Object.fromEntries(
    Array.from({ length: REFERRERS }, (_, at) => [`F${at % 3}/${at}.md`, `[[Hub]] ${at}\n`]),
  ),
};

interface HeldVault extends TestVault {
  /** Lets what was written reach the index from now on. */
  release(): void;
}

async function vaultOf(files: Record<string, string> = FILES): Promise<HeldVault> {
  let release = () => {};
  let gate = Promise.resolve();
  const hold = () => {
    gate = new Promise((resolve) => {
      release = resolve;
    });
  };
  const vault = await openTestVault(files, { beforeIndexing: () => gate });
  hold();
  const held = { ...vault, release: () => release() };
  open.push(held);
  await vault.vault.indexed();
  return held;
}

/** What is told once the index may follow, and that nothing is told before. */
async function askedBehind<T>(vault: HeldVault, ask: () => Promise<T>): Promise<T> {
  let isTold = false;
  const told = ask().finally(() => {
    isTold = true;
  });
  // These begin later and read from the index file without waiting: an answer that did not wait would be there first.
  for (let reads = 0; reads < 10; reads++) await indexedBacklinks(vault, 'Hub.md');
  expect(isTold).toBe(false);
  vault.release();
  return told;
}

const lexical = (query: string) => ({ query, mode: 'lexical', filter: {}, limit: 10 }) as const;

/** How many notes the index file itself says link to a note, without waiting for anything. */
async function indexedBacklinks({ state }: TestVault, path: string): Promise<number> {
  const reader = openIndexReader(join(state, 'index.db'));
  try {
    return (await reader.backlinks(path, { limit: 1 })).total;
  } finally {
    await reader.close();
  }
}

test('a large write is answered without the index, and whoever asks next is told what holds after it', async () => {
  const vault = await vaultOf();
  const { session } = vault;
  const { links } = await session.move('Hub.md', 'Sub/Center.md', { tool });
  expect(links).toBe(REFERRERS);
  expect(vault.file('F0/0.md')).toBe('[[Center]] 0\n');
  expect(await indexedBacklinks(vault, 'Hub.md')).toBe(REFERRERS);

  const others = vault.vault.session({ kind: 'mcp', name: 'other', session: 's2' });
  // A note is read from the store, whatever the index does.
  expect((await others.open('F0/0.md')).parsed.text).toBe('[[Center]] 0\n');
  const [backlinks, found, gone] = await askedBehind(vault, () =>
    Promise.all([
      others.backlinks('Sub/Center.md', { limit: 1 }),
      session.search(lexical('center')),
      session.backlinks('Hub.md', { limit: 1 }).catch(({ code }) => code),
    ]),
  );
  expect(backlinks.total).toBe(REFERRERS);
  expect(found.total).toBe(REFERRERS + 1);
  expect(gone).toBe('not_found');
});

test('what was answered before a large write is not answered again after it', async () => {
  const files = Array.from({ length: REFERRERS }, (_, at) => [`F${at % 3}/${at}.md`, `#old ${at}\n`]);
  const vault = await vaultOf(Object.fromEntries(files));
  const { session } = vault;
  const asked = () =>
    session.replayRead('vault_search', {}, async () => (await session.search(lexical('fresh'))).total);
  expect(await asked()).toBe(0);
  await session.renameTag('old', 'fresh', { tool });
  expect(await askedBehind(vault, asked)).toBe(REFERRERS);
});

test('a vault that is closed after a large write leaves an index that has it', async () => {
  const vault = await vaultOf();
  open.pop();
  await vault.session.move('Hub.md', 'Sub/Center.md', { tool });
  await askedBehind(vault, () => vault.close());
  expect(await indexedBacklinks(vault, 'Sub/Center.md')).toBe(REFERRERS);
  discard(vault);
});

test('a large write on top of another is planned from what holds after it', async () => {
  const vault = await vaultOf();
  await vault.session.move('Hub.md', 'Sub/Center.md', { tool });
  const again = await askedBehind(vault, () => vault.session.move('Sub/Center.md', 'Sub/Heart.md', { tool }));
  expect(again.links).toBe(REFERRERS);
  expect(vault.file('F0/0.md')).toBe('[[Heart]] 0\n');
  expect((await vault.session.backlinks('Sub/Heart.md', { limit: 1 })).total).toBe(REFERRERS);
});

test('so is a write that waited for the large one to end', async () => {
  const files = Array.from({ length: REFERRERS }, (_, at) => [`F${at % 3}/${at}.md`, `#old ${at}\n`]);
  const vault = await vaultOf(Object.fromEntries(files));
  const { session } = vault;
  const both = () =>
    Promise.all([session.renameTag('old', 'mid', { tool }), session.renameTag('mid', 'new', { tool })]);
  await askedBehind(vault, both);
  expect(vault.file('F0/0.md')).toBe('#new 0\n');
});

test('saves from outside while a large write is under way are followed after it', async () => {
  const vault = await vaultOf();
  const moving = vault.session.move('Hub.md', 'Sub/Center.md', { tool });
  writeFileSync(join(vault.folder, 'Fresh.md'), 'quokka [[0]]\n');
  await moving;
  vault.release();
  await expect
    .poll(async () => (await vault.session.search(lexical('quokka'))).total, {
      timeout: 10_000,
    })
    .toBe(1);
});
