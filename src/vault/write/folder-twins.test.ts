import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { pathKey } from '../../notes/path.ts';
import { OPEN_ACCESS } from '../access.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultOf(...parameters: Parameters<typeof openTestVault>): Promise<TestVault> {
  const vault = await openTestVault(...parameters);
  open.push(vault);
  return vault;
}

const tool = 'test';

/** Files and folders outside dot folders. */
function everything({ folder }: TestVault): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((path) => !path.split('/').some((name) => name.startsWith('.')))
    .sort();
}

function expectNoTwins(vault: TestVault): void {
  const paths = everything(vault);
  expect(new Set(paths.map(pathKey)).size, paths.join(', ')).toBe(paths.length);
}

test.each([
  ['in case', 'Projects', 'PROJECTS'],
  ['in Unicode form', 'Caf\u00e9', 'Cafe\u0301'],
  ['in both', 'Cafe\u0301', 'CAF\u00c9'],
])(
  'a folder that differs %s only from one that is there is that one, for every write',
  async (_, is, asked) => {
    const vault = await vaultOf({
      [`${is}/Foo.md`]: '# Foo\n',
      'a.md': 'a\n',
      'b/c.md': 'c\n',
      'l.md': '[[a]] [c](b/c.md)\n',
    });
    const { session } = vault;
    const wrote = await session.write(`${asked}/New.md`, { body: 'z\n' }, { tool });
    expect(wrote).toMatchObject({ path: `${is}/New.md`, created: true });
    expect(wrote.notices).toEqual([expect.stringContaining(`put into ${is}`)]);
    const deep = await session.write(`${asked}/Sub/Deep.md`, { body: 'z\n' }, { tool });
    expect(deep.path).toBe(`${is}/Sub/Deep.md`);
    const moved = await session.move('a.md', `${asked}/sub/A.md`, { tool });
    expect(moved).toMatchObject({ to: `${is}/Sub/A.md`, moved: [{ from: 'a.md', to: `${is}/Sub/A.md` }] });
    const folder = await session.move('b', `${asked}/b`, { tool });
    expect(folder.to).toBe(`${is}/b`);
    expect(vault.file('l.md')).toBe(`[[A]] [c](${is}/b/c.md)\n`);
    const { trashPath = '' } = await session.remove(`${is}/New.md`, { tool });
    const restored = await session.trashRestore(trashPath, `${asked}/Again.md`, { tool });
    expect(restored.path).toBe(`${is}/Again.md`);
    await expect(session.move('l.md', `${asked}/FOO.md`, { tool })).rejects.toMatchObject({
      code: 'exists',
      details: { path: `${is}/Foo.md` },
    });
    await expect(session.write(`${asked}/FOO.md`, { body: '' }, { tool })).rejects.toMatchObject({
      code: 'exists',
      details: { path: `${is}/Foo.md` },
    });
    expectNoTwins(vault);
    // The index knows them under the names they have.
    const paths = (await session.list({}, 'path', { limit: 20 })).items.map((note) => note.path);
    expect(paths).toEqual(
      [
        'l.md',
        `${is}/Again.md`,
        `${is}/Foo.md`,
        `${is}/Sub/A.md`,
        `${is}/Sub/Deep.md`,
        `${is}/b/c.md`,
      ].sort(),
    );
    // And all of it can be taken back.
    await session.undo({ tool, since: 0 });
    expect(vault.files()).toEqual({
      [`${is}/Foo.md`]: '# Foo\n',
      'a.md': 'a\n',
      'b/c.md': 'c\n',
      'l.md': '[[a]] [c](b/c.md)\n',
    });
    expect(everything(vault)).toEqual([is, `${is}/Foo.md`, 'a.md', 'b', 'b/c.md', 'l.md'].sort());
  },
);

test('a dry run names the place that the write would take', async () => {
  const vault = await vaultOf({ 'Projects/Foo.md': '', 'a.md': '' });
  const { session } = vault;
  expect((await session.write('PROJECTS/x/New.md', { body: '' }, { tool, dryRun: true })).path).toBe(
    'Projects/x/New.md',
  );
  expect((await session.move('a.md', 'PROJECTS/A.md', { tool, dryRun: true })).to).toBe('Projects/A.md');
  expect(everything(vault)).toEqual(['Projects', 'Projects/Foo.md', 'a.md']);
});

test('a note is not moved into another spelling of its own folder, which says how to rename that', async () => {
  const vault = await vaultOf({ 'a/b.md': 'y', 'a/c.md': '' });
  const { session } = vault;
  const moved = await session.move('a/b.md', 'A/b.md', { tool });
  expect(moved).toMatchObject({ from: 'a/b.md', to: 'a/b.md', writeId: undefined });
  expect(moved.notices).toEqual([expect.stringContaining('put into a')]);
  await session.move('a', 'A', { tool });
  expect(everything(vault)).toEqual(['A', 'A/b.md', 'A/c.md']);
});

test('a folder is not moved beside its twin, nor into itself by another spelling', async () => {
  const vault = await vaultOf({ 'p/a.md': '', 'Q/b.md': '' });
  const { session } = vault;
  await expect(session.move('p', 'q', { tool })).rejects.toMatchObject({ code: 'exists' });
  await expect(session.move('p', 'P/x', { tool })).rejects.toMatchObject({ code: 'invalid_input' });
  mkdirSync(join(vault.folder, 'R/empty'), { recursive: true });
  await session.move('p', 'r', { tool });
  expect(everything(vault)).toEqual(['Q', 'Q/b.md', 'r', 'r/a.md']);
});

test('where a vault holds twins already, one that is meant by its name is used and none is guessed', async () => {
  const vault = await vaultOf({ 'Projects/a.md': '', 'PROJECTS/b.md': '' });
  const { session } = vault;
  expect((await session.write('PROJECTS/n.md', { body: '' }, { tool })).path).toBe('PROJECTS/n.md');
  await expect(session.write('projects/n.md', { body: '' }, { tool })).rejects.toMatchObject({
    code: 'ambiguous',
    details: { candidates: ['PROJECTS', 'Projects'] },
  });
  expect(everything(vault)).toEqual([
    'PROJECTS',
    'PROJECTS/b.md',
    'PROJECTS/n.md',
    'Projects',
    'Projects/a.md',
  ]);
});

test('no note comes to lie in a folder whose name a file has in another case', async () => {
  const vault = await vaultOf({ data: 'x' });
  await expect(vault.session.write('DATA/n.md', { body: '' }, { tool })).rejects.toMatchObject({
    code: 'invalid_path',
  });
  expect(everything(vault)).toEqual(['data']);
});

test('an undo puts a note into its folder as that is spelled now', async () => {
  const vault = await vaultOf({ 'a/n.md': 'n\n', 'a/o.md': 'o\n', 'x/y.md': '' });
  const { session, folder } = vault;
  const moved = await session.move('a/n.md', 'x/n.md', { tool });
  const removed = await session.remove('a/o.md', { tool });
  renameSync(join(folder, 'a'), join(folder, 'A'));
  await session.undo({ tool, writeId: removed.writeId ?? 0 });
  const undone = await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual({ 'A/n.md': 'n\n', 'A/o.md': 'o\n', 'x/y.md': '' });
  const paths = (await session.list({}, 'path', { limit: 9 })).items.map((note) => note.path);
  expect(paths).toEqual(['A/n.md', 'A/o.md', 'x/y.md']);
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(vault.files()).toEqual({ 'A/o.md': 'o\n', 'x/n.md': 'n\n', 'x/y.md': '' });
});

test('a folder whose case was changed is changed back together with the notes in it', async () => {
  const files = { 'q/a.md': '[[b]]\n', 'q/b.md': '', 'l.md': '[[q/a]]\n' };
  const vault = await vaultOf(files);
  const { session } = vault;
  await session.move('q', 'Q', { tool });
  await session.patch('Q/a.md', [{ op: 'append_body', markdown: 'more' }], { tool });
  await session.remove('Q/b.md', { tool });
  await session.undo({ tool, since: 0 });
  expect(vault.files()).toEqual(files);
  expectNoTwins(vault);
});

test('of two notes written at once under names that differ in case only one is made', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const vault = await vaultOf({}, { beforeIndexing: () => held });
  const { session } = vault;
  const both = Promise.allSettled([
    session.write('Foo.md', { body: '1' }, { tool }),
    session.write('foo.md', { body: '2' }, { tool }),
  ]);
  await expect.poll(() => vault.files()).toEqual({ 'Foo.md': '1' });
  release();
  expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(vault.files()).toEqual({ 'Foo.md': '1' });
});

test('a folder that is a link to one that may not be written is no way into it', async () => {
  const rules = { ...OPEN_ACCESS, write: { allow: [], deny: ['fixed/**'] } };
  const vault = await vaultOf({ 'fixed/f.md': 'x\n', 'a.md': '' }, { rules });
  symlinkSync(join(vault.folder, 'fixed'), join(vault.folder, 'link'));
  symlinkSync(join(vault.folder, 'fixed/f.md'), join(vault.folder, 'g.md'));
  const { session } = vault;
  const forbidden = { code: 'forbidden' };
  await expect(session.write('link/new.md', { body: '' }, { tool })).rejects.toMatchObject(forbidden);
  await expect(session.write('g.md', { body: '' }, { tool })).rejects.toMatchObject(forbidden);
  await expect(session.move('a.md', 'link/a.md', { tool })).rejects.toMatchObject(forbidden);
  expect(vault.file('fixed/f.md')).toBe('x\n');
  expect(readdirSync(join(vault.folder, 'fixed'))).toEqual(['f.md']);
});

test.each<[string, (vault: TestVault) => Promise<{ writeId: number | undefined }>]>([
  ['a note that was made', ({ session }) => session.write('x/y/n.md', { body: '' }, { tool })],
  ['a note that was moved', ({ session }) => session.move('a/b.md', 'x/y/z/b.md', { tool })],
  ['a folder that was moved', ({ session }) => session.move('a', 'x/y/a', { tool })],
  [
    'a note that was restored to another place',
    async ({ session }) => {
      const { trashPath = '' } = await session.remove('a/b.md', { tool });
      return session.trashRestore(trashPath, 'x/y/b.md', { tool });
    },
  ],
])('undo removes the folders made for %s, undo of the undo makes them again', async (_, write) => {
  const vault = await vaultOf({ 'a/b.md': '1\n', 'c.md': '[[b]]\n' });
  const { session } = vault;
  const before = everything(vault);
  const { writeId = 0 } = await write(vault);
  const after = everything(vault);
  expect(after.filter((path) => path.startsWith('x'))).not.toEqual([]);
  const undone = await session.undo({ tool, writeId });
  expect(everything(vault).filter((path) => path.startsWith('x'))).toEqual([]);
  expect(everything(vault).filter((path) => path !== 'a/b.md')).toEqual(
    before.filter((path) => path !== 'a/b.md'),
  );
  const redone = await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(everything(vault)).toEqual(after);
  await session.undo({ tool, writeId: redone.writeId ?? 0 });
  expect(everything(vault).filter((path) => path.startsWith('x'))).toEqual([]);
});

test('undo leaves a folder that was there before, or that somebody has put something into', async () => {
  const vault = await vaultOf({ 'a/b.md': '1\n', 'a/c.md': '2\n', 'a/d.md': '3\n' });
  const { session, folder } = vault;
  mkdirSync(join(folder, 'empty'));
  const first = await session.move('a/b.md', 'empty/b.md', { tool });
  await session.undo({ tool, writeId: first.writeId ?? 0 });
  const second = await session.move('a/c.md', 'x/y/c.md', { tool });
  writeFileSync(join(folder, 'x/other.txt'), '');
  await session.undo({ tool, writeId: second.writeId ?? 0 });
  expect(everything(vault)).toEqual(['a', 'a/b.md', 'a/c.md', 'a/d.md', 'empty', 'x', 'x/other.txt']);
  const third = await session.move('a/d.md', 'z/d.md', { tool });
  mkdirSync(join(folder, 'z/.hidden'));
  await session.undo({ tool, writeId: third.writeId ?? 0 });
  expect(readdirSync(join(folder, 'z'))).toEqual(['.hidden']);
});

test('a folder that undo makes again for the note that comes back goes with the undo of that undo', async () => {
  const vault = await vaultOf({ 'a/b/n.md': '1\n', 'a/o.md': '' });
  const { session, folder } = vault;
  const moved = await session.move('a/b/n.md', 'n.md', { tool });
  rmSync(join(folder, 'a/b'), { recursive: true });
  const undone = await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(everything(vault)).toEqual(['a', 'a/b', 'a/b/n.md', 'a/o.md']);
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(everything(vault)).toEqual(['a', 'a/o.md', 'n.md']);
});
