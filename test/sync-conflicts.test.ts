import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parseInput } from '../src/operations/call/input.ts';
import { runOperation } from '../src/operations/call/run.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import type { VaultSession } from '../src/vault/session.ts';
import { ACTOR, discard, openTestVault, type TestVault } from './support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultOf(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

async function run(session: VaultSession, name: string, args: object) {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation === undefined) throw new Error(name);
  const input = parseInput(operation, args);
  const signal = new AbortController().signal;
  const output = await runOperation(operation, session, input, { signal, progress: () => {} });
  return { output, text: `${operation.summarise(output, input)}\n${operation.render(output, input)}` };
}

const found = async (session: VaultSession, query: string) =>
  (await session.search({ query, mode: 'hybrid', filter: {}, limit: 20 })).items.map(({ path, copyOf }) => [
    path,
    copyOf,
  ]);

const conflicts = async (session: VaultSession) =>
  (await session.status()).problems.items
    .filter(({ code }) => code === 'sync_conflict')
    .map(({ path }) => path)
    .sort();

it('idx-02: copies come below the note, are marked and named in the status', async () => {
  const { session } = await vaultOf({
    'Pad.md': '# Pad\nalpha note\n',
    'Pad.sync-conflict-20230112-003022-ABCDEFG.md': '# Pad\nalpha note old\n',
    'Pad (conflicted copy 2026-07-10 070952).md': '# Pad\nalpha note older\n',
    'L.md': '[[Pad]]\n',
  });
  const links = await session.forward('L.md', { limit: 5 });
  expect(links.items.map(({ target, ambiguous }) => [target, ambiguous])).toEqual([['Pad.md', false]]);
  const hits = await found(session, 'alpha note');
  expect(hits[0]).toEqual(['Pad.md', undefined]);
  expect(hits.slice(1).map(([, original]) => original)).toEqual(['Pad.md', 'Pad.md']);
  expect(await conflicts(session)).toEqual([
    'Pad (conflicted copy 2026-07-10 070952).md',
    'Pad.sync-conflict-20230112-003022-ABCDEFG.md',
  ]);
  const search = await run(session, 'vault_search', { q: 'alpha note' });
  expect(search.text).toContain('[sync conflict copy of Pad.md]');
  const list = await run(session, 'note_list', {});
  expect(list.output.notes).toMatchObject([
    { path: 'L.md' },
    { path: 'Pad (conflicted copy 2026-07-10 070952).md', conflict_copy_of: 'Pad.md' },
    { path: 'Pad.md' },
    { path: 'Pad.sync-conflict-20230112-003022-ABCDEFG.md', conflict_copy_of: 'Pad.md' },
  ]);
  expect(list.text.match(/\[sync conflict copy of Pad\.md\]/g)).toHaveLength(2);
  const read = await run(session, 'note_read', { path: 'Pad.sync-conflict-20230112-003022-ABCDEFG.md' });
  expect(read.output.notice).toContain('copy of Pad.md: read and change that note instead');
  expect((await run(session, 'vault_status', {})).text).toContain('sync_conflict');
});

/** A copy that ranks above its original by its words, as each program names it. */
const TEXT = '# Pad\n\nThe boat needs a new keel before the summer, and the mast a coat of varnish.\n';
describe.each([
  'Pad.sync-conflict-20230112-003022-ABCDEFG.md',
  "Pad (Ann's conflicted copy 2026-07-10).md",
  'Pad (Conflicted copy Laptop 202607101200).md',
  'Pad (Conflict).md',
  'Pad (conflict 2026-11-27 221530).md',
  'Pad 2.md',
  'Pad (1).md',
  'Pad-DESKTOP-AB12CD3.md',
  'Pad-Anns-MacBook-Pro.md',
  'Pad_conf(1).md',
])('%s', (copy) => {
  it('is below its original, whatever its words', async () => {
    const { session } = await vaultOf({
      'Pad.md': TEXT,
      [copy]: `${TEXT}Keel, keel and keel.\n`,
      'Other.md': 'A keel is a part of a boat.\n',
    });
    for (const query of ['keel', '"keel"', 'keel -zebra', 'pad', 'boat keel summer mast']) {
      const hits = (await found(session, query)).map(([path]) => path);
      expect(hits, query).toContain(copy);
      expect(hits.indexOf(copy), query).toBeGreaterThan(hits.indexOf('Pad.md'));
    }
    expect(await conflicts(session)).toEqual([copy]);
  });
});

it('honest notes with such names are left alone', async () => {
  const files = {
    'Chapter.md': '# Chapter\n\nIt was a dark night, and the wind blew over the harbour.\n',
    'Chapter 2.md': '# Chapter 2\n\nIt was a bright morning, and the boats went out to fish.\n',
    'Plan.md': 'The plan is to sail north in May with four people.\n',
    'Plan-B.md': 'Should it rain we stay at home and read.\n',
    'Plan-USA.md': 'Fly to Boston, rent a car, see the lakes.\n',
    'Untitled.md': '',
    'Untitled 2.md': '',
    'Song (1).md': 'Words and music of a song.\n',
    'War (conflict 2014).md': 'A history of the war.\n',
    'War.md': 'What war is, and other words.\n',
  };
  const { session } = await vaultOf(files);
  expect(await conflicts(session)).toEqual([]);
  const { items } = await session.list({}, 'path', { limit: 20 });
  expect(items.filter(({ copyOf }) => copyOf !== undefined)).toEqual([]);
  expect((await session.open('Chapter 2.md')).copyOf).toBeUndefined();
});

it('a copy whose original is gone is still one, a numbered name no longer', async () => {
  const { session } = await vaultOf({ 'Pad.sync-conflict-20230112-003022.md': TEXT, 'Pad 2.md': TEXT });
  expect(await conflicts(session)).toEqual(['Pad.sync-conflict-20230112-003022.md']);
  expect((await found(session, 'keel')).map(([path]) => path)[0]).toBe('Pad 2.md');
});

it('who may not see the original hears nothing of it', async () => {
  const vault = await vaultOf({ 'Pad.md': TEXT, 'Pad 2.md': TEXT, 'Pad_conf(1).md': TEXT });
  const session = vault.vault.session(ACTOR, [
    { readOnly: false, read: { allow: [], deny: ['Pad.md'] }, write: { allow: [], deny: [] } },
  ]);
  expect(await conflicts(session)).toEqual(['Pad_conf(1).md']);
  expect((await session.open('Pad 2.md')).copyOf).toBeUndefined();
});

it('notes whose properties cannot be read are in the status, with the line, until they can', async () => {
  const { session, folder } = await vaultOf({
    'A.md': '---\ntitle: Convex: a: b\n---\ntext\n',
    'B.md': '---\nx: 1\ny: [open\n---\ntext\n',
    'Template.md': '---\ncreated: {{date}} {{time}}\n---\n',
    'C.md': '---\nx: 1\n---\n',
  });
  const said = async () =>
    (await session.status()).problems.items.map(({ path, code, message }) => [path, code, message]);
  expect(await said()).toMatchObject([
    ['A.md', 'unreadable_properties', expect.stringContaining('line 2')],
    ['B.md', 'unreadable_properties', expect.stringMatching(/line [34]/)],
  ]);
  writeFileSync(join(folder, 'A.md'), '---\ntitle: "Convex: a: b"\n---\ntext\n');
  await expect.poll(async () => (await said()).map(([path]) => path), { timeout: 10_000 }).toEqual(['B.md']);
});
