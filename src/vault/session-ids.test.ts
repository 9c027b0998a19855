import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import type { IdScheme } from './note-ids.ts';
import type { VaultSession } from './session.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';
let count = 0;
const HEX: IdScheme = { name: 'hex', reusable: false, make: () => (count++).toString(16).padStart(32, '0') };
const SLUGS: IdScheme = {
  name: 'slug',
  reusable: true,
  make: (path, attempt) => {
    const slug = path.replace(/^.*\//, '').replace(/\.md$/, '').toLowerCase();
    return attempt === 0 ? slug : `${slug}-${attempt + 1}`;
  },
};

async function vaultWith(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

const idOf = async (session: VaultSession, scheme: IdScheme, path: string) =>
  (await session.ids(scheme).of([path])).get(path) ?? '';

test('an id stays with its note through moves, of its folder too, undo, redo, the trash and a restart', async () => {
  const vault = await vaultWith({ 'a/n.md': 'text [[m]]\n', 'a/m.md': 'other\n' });
  let { session } = vault;
  const ids = () => session.ids(HEX);
  const id = await idOf(session, HEX, 'a/n.md');
  const folder = await idOf(session, HEX, 'a');
  const moved = await session.move('a/n.md', 'a/b/renamed.md', { tool });
  expect(await ids().pathOf(id)).toBe('a/b/renamed.md');
  await session.move('a/', 'z', { tool });
  expect(await ids().pathOf(id)).toBe('z/b/renamed.md');
  expect(await ids().pathOf(folder)).toBe('z');
  const removed = await session.remove('z/b/renamed.md', { tool });
  expect(await ids().pathOf(id)).toBeUndefined();
  const back = await session.undo({ tool, writeId: removed.writeId ?? 0 });
  expect(await ids().pathOf(id)).toBe('z/b/renamed.md');
  await session.undo({ tool, writeId: back.writeId ?? 0 });
  const [trashed] = (await session.trashList({ limit: 5 })).items;
  await session.trashRestore(trashed?.trashPath ?? '', 'y.md', { tool });
  expect(await ids().pathOf(id)).toBe('y.md');
  await vault.close();
  open.length = 0;
  const again = await openTestVault({}, { reopen: vault });
  open.push(again);
  session = again.session;
  expect(await ids().pathOf(id)).toBe('y.md');
  expect(await ids().pathOf(folder)).toBe('z');
  expect(await idOf(session, HEX, 'y.md')).toBe(id);
  expect(moved.writeId).toBeDefined();
});

test('a note that another program removed has no place, and its id is given again only where the kind says so', async () => {
  const { session, folder } = await vaultWith({ 'a/n.md': 'text\n', 'b/n.md': 'other\n' });
  expect(await session.ids(SLUGS).of(['a/n.md', 'b/n.md'])).toEqual(
    new Map([
      ['a/n.md', 'n'],
      ['b/n.md', 'n-2'],
    ]),
  );
  rmSync(join(folder, 'a/n.md'));
  writeFileSync(join(folder, 'c.md'), '');
  expect(await session.ids(SLUGS).pathOf('n')).toBeUndefined();
  renameSync(join(folder, 'c.md'), join(folder, 'N.md'));
  expect(await session.ids(SLUGS).of(['N.md'])).toEqual(new Map([['N.md', 'n']]));
  const fixed: IdScheme = { ...HEX, make: (_, attempt) => `id${attempt}` };
  await session.ids(fixed).of(['b/n.md']);
  rmSync(join(folder, 'b/n.md'));
  expect(await idOf(session, fixed, 'N.md')).toBe('id1');
});

test('an id can be changed, not to that of another note that is there', async () => {
  const { session, folder } = await vaultWith({ 'a.md': '', 'b.md': '' });
  const slugs = session.ids(SLUGS);
  await slugs.of(['a.md', 'b.md']);
  expect(await slugs.change('a.md', 'b')).toBe(false);
  rmSync(join(folder, 'b.md'));
  expect(await slugs.change('a.md', 'b')).toBe(true);
  expect(await slugs.pathOf('b')).toBe('a.md');
  expect(await slugs.pathOf('a')).toBeUndefined();
});

test('a note that the caller does not see has no id, and an id that somebody else knows does not lead there', async () => {
  const { session, vault } = await vaultWith({ 'a.md': '', 'hidden/b.md': '' });
  const id = await idOf(session, HEX, 'hidden/b.md');
  const rules = { readOnly: false, read: { allow: [], deny: ['hidden'] }, write: { allow: [], deny: [] } };
  const narrow = vault.session(ACTOR, [rules]).ids(HEX);
  expect([...(await narrow.of(['a.md', 'hidden/b.md', 'hidden/none.md'])).keys()]).toEqual(['a.md']);
  expect(await narrow.pathOf(id)).toBeUndefined();
  expect(await narrow.change('hidden/b.md', 'x')).toBe(false);
});

test('an id passes to the note that takes the place of a folder, which keeps its own when it has one', async () => {
  const { session } = await vaultWith({ 'A/x.md': '', 'B.md': '', 'B/y.md': '' });
  const slugs = session.ids(SLUGS);
  await slugs.of(['A', 'B.md', 'B']);
  await session.write('A.md', { body: '' }, { tool });
  slugs.inherit('A', 'A.md');
  slugs.inherit('B', 'B.md');
  slugs.inherit('nowhere', 'A/x.md');
  expect(await slugs.of(['A.md', 'B.md', 'A/x.md'])).toEqual(
    new Map([
      ['A.md', 'a'],
      ['B.md', 'b'],
      ['A/x.md', 'x'],
    ]),
  );
});

test('the id of a folder in which nothing is left is free again where the kind says so', async () => {
  const { session, folder } = await vaultWith({ 'A/x.md': '', 'b/n.md': '' });
  const slugs = session.ids(SLUGS);
  await slugs.of(['A']);
  rmSync(join(folder, 'A'), { recursive: true });
  // The watcher may tell of it a little later.
  await vi.waitFor(
    async () => expect((await session.list({ pathGlob: 'A/**' }, 'path', { limit: 1 })).total).toBe(0),
    { timeout: 10_000 },
  );
  await session.write('b/a.md', { body: '' }, { tool });
  expect(await slugs.of(['b/a.md'])).toEqual(new Map([['b/a.md', 'a']]));
});

test('readable ids tell nobody of a note that they do not see', async () => {
  const { session, vault } = await vaultWith({ 'hidden/plan.md': '', 'plan.md': '' });
  const readable: IdScheme = { ...SLUGS, readable: true };
  await session.ids(readable).of(['hidden/plan.md', 'plan.md']);
  const rules = { readOnly: false, read: { allow: [], deny: ['hidden'] }, write: { allow: [], deny: [] } };
  const narrow = vault.session(ACTOR, [rules]).ids(readable);
  expect(await narrow.of(['hidden/plan.md', 'plan.md'])).toEqual(new Map([['plan.md', 'plan']]));
  expect(await session.ids(readable).of(['plan.md'])).toEqual(new Map([['plan.md', 'plan-2']]));
});
