import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encode, everyName, scratchVault } from './scratch-vault.ts';

const code = (expected: string) => expect.objectContaining({ name: 'LecternError', code: expected });

test('cloud placeholders are problems, and neither read as empty nor created over', async () => {
  const { store } = await scratchVault({ 'a.md': 'A', 'dir/.Note.md.icloud': 'bplist' });
  const { entries, problems } = await store.list();
  expect(entries.map(({ path, isPlaceholder }) => [path, isPlaceholder]).sort()).toEqual([
    ['a.md', undefined],
    ['dir/Note.md', true],
  ]);
  expect(problems.map(({ path, code }) => [path, code])).toEqual([['dir/Note.md', 'cloud_placeholder']]);
  expect(await store.stat('dir/Note.md')).toEqual(entries.find(({ isPlaceholder }) => isPlaceholder));
  for (const attempt of [
    () => store.read('dir/Note.md'),
    () => store.create('dir/Note.md', encode('x')),
    () => store.move('a.md', 'dir/Note.md'),
    () => store.trash('dir/Note.md'),
  ]) {
    await expect(attempt()).rejects.toEqual(code('unavailable'));
  }
});

test('files without any block on disk are placeholders, where the drive counts blocks', async () => {
  const { root, store } = await scratchVault({ 'a.md': 'A'.repeat(5000) });
  await fs.truncate(join(root, 'a.md'), 5000);
  await fs.writeFile(join(root, 'hole.md'), '');
  await fs.truncate(join(root, 'hole.md'), 8192);
  const { blocks } = await fs.stat(join(root, 'hole.md'));
  const { entries, problems } = await store.list();
  if (blocks > 0) console.info('skipped: this drive keeps no holes in files');
  else {
    expect(entries.map(({ path, isPlaceholder }) => [path, isPlaceholder]).sort()).toEqual([
      ['a.md', undefined],
      ['hole.md', true],
    ]);
    expect(problems.map(({ path, code }) => [path, code])).toEqual([['hole.md', 'cloud_placeholder']]);
  }
});

test('a stub stands for its file only while that is not there, and for no hidden one', async () => {
  const { store } = await scratchVault({
    'a.md': 'A',
    '.a.md.icloud': '',
    '..git.icloud': '',
    '.icloud': '',
  });
  const { entries, problems } = await store.list();
  expect(entries.map(({ path, isPlaceholder }) => [path, isPlaceholder])).toEqual([['a.md', undefined]]);
  expect(problems).toEqual([]);
  expect((await store.stat('a.md'))?.isPlaceholder).toBeUndefined();
  const composed = 'Caf\u00e9.md';
  const other = await scratchVault({ [`.${composed.normalize('NFD')}.icloud`]: '' });
  expect((await other.store.stat(composed))?.path).toBe(composed.normalize('NFD'));
});

test('names that are not UTF-8 or not a path are problems', async () => {
  const { root, store } = await scratchVault({ 'a.md': 'A', '\ufffd real.md': 'x' });
  const broken = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x64])]);
  await fs.writeFile(broken, 'x');
  await fs.mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xe4, 0x64])]));
  await fs.writeFile(join(root, 'back\\slash.md'), 'x');
  const { entries, problems } = await store.list();
  expect(entries.map(({ path }) => path).sort()).toEqual(['a.md', '\ufffd real.md']);
  expect(problems.map(({ path, code }) => [path, code]).sort()).toEqual([
    ['back\\slash.md', 'unreadable'],
    ['f\ufffd.md', 'name_not_utf8'],
    ['\ufffdd', 'name_not_utf8'],
  ]);
});

test('of two Unicode spellings the composed one is served and the other reported', async () => {
  const { store } = await scratchVault({ 'e\u0301/n.md': 'decomposed', '\u00e9/n.md': 'composed' });
  const { entries, problems } = await store.list();
  expect(entries.map(({ path }) => path)).toEqual(['\u00e9/n.md']);
  expect(problems.map(({ path, code }) => [path, code])).toEqual([['e\u0301/n.md', 'duplicate_name']]);
});

test('what is too large is listed and said to be', async () => {
  const { store } = await scratchVault(
    { 'big.md': 'x'.repeat(20), 'big.mp4': 'x'.repeat(20) },
    { maxBytes: 10 },
  );
  const { entries, problems } = await store.list();
  expect(entries).toHaveLength(2);
  expect(problems.map(({ path, code }) => [path, code])).toEqual([['big.md', 'too_large']]);
});

test('what the owner ignores is left out, whole folders included', async () => {
  const seen: string[] = [];
  const { store } = await scratchVault(
    { 'a.md': 'A', 'node_modules/x/readme.md': 'x' },
    {
      ignore: (path) => {
        seen.push(path);
        return path === 'node_modules';
      },
    },
  );
  expect((await store.list()).entries.map(({ path }) => path)).toEqual(['a.md']);
  expect(seen.sort()).toEqual(['a.md', 'node_modules']);
});

test('leftovers of crashed writers are swept, those of living ones kept', async () => {
  const host = (name: string) => name.split('-')[1] ?? '';
  const { root, store } = await scratchVault({ 'n.md': 'v1' });
  // A living writer's name tells the tag of this computer.
  const { tempFileName } = await import('./swap/temp.ts');
  const living = tempFileName();
  const dead = `.lectern-${host(living)}-4194399-0123456789ab.tmp`;
  const foreign = '.lectern-ffffffff-1-0123456789ab.tmp';
  for (const name of [living, dead, foreign, '.lectern-notes']) await fs.writeFile(join(root, name), 'x');
  expect((await store.list()).entries.map(({ path }) => path)).toEqual(['n.md']);
  expect(await everyName(root)).toEqual(['n.md', living, foreign, '.lectern-notes'].sort());
});
