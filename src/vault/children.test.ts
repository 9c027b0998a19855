import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';

/** Notes whose children are the notes in the folder of their name: moved, deleted and brought back with them. */

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';
const TREE = {
  'A.md': 'see [[A/B]]\n',
  'A/B.md': 'up [[A]] down [[C]]\n',
  'A/B/C.md': 'text\n',
  'A/data.csv': '1,2\n',
  'Other.md': '[[A]] [[A/B|b]] [c](A/B/C.md)\n',
};

async function vaultWith(files: Record<string, string> = TREE): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

const withChildren = { tool, withChildren: true };

test('a note moves with its children in one write, links follow, and undo takes all of it back', async () => {
  const { session, files } = await vaultWith();
  const moved = await session.move('A.md', 'X/Z.md', withChildren);
  expect(files()).toEqual({
    'X/Z.md': 'see [[X/Z/B]]\n',
    'X/Z/B.md': 'up [[Z]] down [[C]]\n',
    'X/Z/B/C.md': 'text\n',
    'X/Z/data.csv': '1,2\n',
    'Other.md': '[[Z]] [[X/Z/B|b]] [c](X/Z/B/C.md)\n',
  });
  expect(moved.moved.map(({ from }) => from).sort()).toEqual(['A.md', 'A/B.md', 'A/B/C.md', 'A/data.csv']);
  await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(files()).toEqual(TREE);
});

test('a note is not moved below itself, nor where the folder of its name is taken', async () => {
  const { session, files } = await vaultWith({ ...TREE, 'X/A/y.md': '' });
  await expect(session.move('A.md', 'A/B/A.md', withChildren)).rejects.toMatchObject({
    code: 'invalid_input',
  });
  await expect(session.move('A.md', 'X/A.md', withChildren)).rejects.toMatchObject({ code: 'exists' });
  expect(files()).toEqual({ ...TREE, 'X/A/y.md': '' });
  await session.move('A/B/C.md', 'X/C.md', withChildren);
  expect(files()['X/C.md']).toBe('text\n');
});

test('a note goes to the trash with its children in one write; attachments stay; undo brings all of it back', async () => {
  const { session, files } = await vaultWith();
  const removed = await session.remove('A.md', withChildren);
  expect(files()).toEqual({ 'A/data.csv': '1,2\n', 'Other.md': TREE['Other.md'] });
  expect(removed).toMatchObject({ path: 'A.md', trashPath: '.trash/A.md', brokenLinks: 3 });
  expect(removed.children).toEqual([
    { path: 'A/B.md', trashPath: '.trash/B.md' },
    { path: 'A/B/C.md', trashPath: '.trash/C.md' },
  ]);
  await session.undo({ tool, writeId: removed.writeId ?? 0 });
  expect(files()).toEqual(TREE);
});

test('children alone are deleted where there is no note; without any it is not found', async () => {
  const { session, files } = await vaultWith({ 'A/B.md': 'x\n', 'C.md': '' });
  const dry = await session.remove('A.md', { ...withChildren, dryRun: true });
  expect(dry).toMatchObject({ path: 'A.md', children: [{ path: 'A/B.md' }], dryRun: true });
  expect(files()['A/B.md']).toBe('x\n');
  expect(await session.remove('A.md', withChildren)).toMatchObject({
    path: 'A.md',
    trashPath: undefined,
    children: [{ path: 'A/B.md', trashPath: '.trash/B.md' }],
  });
  expect(files()).toEqual({ 'C.md': '' });
  await expect(session.remove('A.md', withChildren)).rejects.toMatchObject({ code: 'not_found' });
  expect(await session.remove('C.md', withChildren)).toMatchObject({ path: 'C.md', children: [] });
});

test('children that the caller does not see, or may not write, are neither deleted nor told of', async () => {
  const { vault, files } = await vaultWith({ 'A.md': '', 'A/B.md': '', 'A/hidden/h.md': 'h\n' });
  const deny = { allow: [], deny: ['A/hidden'] };
  const none = { allow: [], deny: [] };
  const narrow = vault.session(ACTOR, [{ readOnly: false, read: deny, write: none }]);
  expect((await narrow.remove('A.md', withChildren)).children.map(({ path }) => path)).toEqual(['A/B.md']);
  expect(files()).toEqual({ 'A/hidden/h.md': 'h\n' });
  await expect(narrow.remove('A.md', withChildren)).rejects.toMatchObject({ code: 'not_found' });
  const fixed = vault.session(ACTOR, [
    { readOnly: false, read: none, write: { allow: [], deny: ['A/hidden'] } },
  ]);
  await expect(fixed.remove('A.md', withChildren)).rejects.toMatchObject({ code: 'forbidden' });
  expect(files()).toEqual({ 'A/hidden/h.md': 'h\n' });
});

test('children that are hidden stay where they are when the note moves', async () => {
  const { vault, files } = await vaultWith({ 'A.md': '', 'A/B.md': '', 'A/hidden/h.md': 'h\n' });
  const rules = { readOnly: false, read: { allow: [], deny: ['A/hidden'] }, write: { allow: [], deny: [] } };
  await vault.session(ACTOR, [rules]).move('A.md', 'Z.md', withChildren);
  expect(Object.keys(files()).sort()).toEqual(['A/hidden/h.md', 'Z.md', 'Z/B.md']);
});

test('one note comes back alone, or with the notes above it', async () => {
  const { session, files, folder } = await vaultWith();
  await session.remove('A.md', withChildren);
  await session.trashRestore('.trash/B.md', undefined, { tool });
  expect(Object.keys(files()).sort()).toEqual(['A/B.md', 'A/data.csv', 'Other.md']);
  mkdirSync(join(folder, 'keep'));
  writeFileSync(join(folder, 'keep/K.md'), 'another\n');
  const back = await session.trashRestore('.trash/C.md', undefined, { tool, withAncestors: true });
  expect(back.notices).toContain('with A.md');
  expect(files()).toMatchObject({ 'A.md': TREE['A.md'], 'A/B.md': TREE['A/B.md'], 'A/B/C.md': 'text\n' });
  expect(existsSync(join(folder, '.trash/A.md'))).toBe(false);
  await session.undo({ tool, writeId: back.writeId ?? 0 });
  expect(Object.keys(files()).sort()).toEqual(['A/B.md', 'A/data.csv', 'Other.md', 'keep/K.md']);
});

test('ancestors come back with the newest that was deleted there, and not over a note that is there', async () => {
  const { session, files } = await vaultWith({ 'A.md': 'old\n', 'A/B.md': 'b\n' });
  await session.remove('A.md', { tool });
  await session.write('A.md', { body: 'new\n' }, { tool });
  await session.remove('A.md', withChildren);
  await session.trashRestore('.trash/B.md', undefined, { tool, withAncestors: true });
  expect(files()).toEqual({ 'A.md': 'new\n', 'A/B.md': 'b\n' });
  await session.remove('A/B.md', { tool });
  const [{ trashPath = '' } = {}] = (await session.trashList({ limit: 9 })).items;
  await session.trashRestore(trashPath, undefined, { tool, withAncestors: true });
  expect(files()).toEqual({ 'A.md': 'new\n', 'A/B.md': 'b\n' });
});
