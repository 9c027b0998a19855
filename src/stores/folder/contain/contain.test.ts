import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { etagOf } from '../../../notes/etag.ts';
import type { Store } from '../../store.ts';
import { openFolderStore } from '../folder-store.ts';
import { decode, encode, everyName, scratchVault } from '../scratch-vault.ts';

const code = (expected: string) => expect.objectContaining({ name: 'LecternError', code: expected });

/** Every method that takes a path of an existing file, tried on `path`. */
function attempts(store: Store, path: string): Record<string, () => Promise<unknown>> {
  return {
    stat: () => store.stat(path),
    read: () => store.read(path),
    replace: () => store.replace(path, encode('overwritten'), { expectedEtag: etagOf(encode('secret')) }),
    move: () => store.move(path, 'stolen.md'),
    trash: () => store.trash(path),
  };
}

describe('symbolic links', () => {
  test('to a folder outside are refused for every method, also for files that do not exist yet', async () => {
    const { root, outside, store } = await scratchVault({ 'in.md': 'x' });
    await fs.symlink('../outside', join(root, 'link'));
    for (const [name, attempt] of Object.entries(attempts(store, 'link/secret.md'))) {
      await expect(attempt(), name).rejects.toEqual(code('forbidden'));
    }
    await expect(store.create('link/new.md', encode('y'))).rejects.toEqual(code('forbidden'));
    await expect(store.create('link/deep/new.md', encode('y'))).rejects.toEqual(code('forbidden'));
    await expect(store.move('in.md', 'link/in.md')).rejects.toEqual(code('forbidden'));
    const { entries, problems } = await store.list();
    expect(entries.map(({ path }) => path)).toEqual(['in.md']);
    expect(problems.map(({ path, code }) => [path, code])).toEqual([['link', 'outside_vault']]);
    expect(await everyName(outside)).toEqual(['secret.md']);
    expect(await fs.readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret');
  });

  test('to a file outside are refused, absolute and relative', async () => {
    const { root, outside, store } = await scratchVault();
    await fs.symlink(join(outside, 'secret.md'), join(root, 'absolute.md'));
    await fs.symlink('../outside/secret.md', join(root, 'relative.md'));
    for (const path of ['absolute.md', 'relative.md']) {
      for (const [name, attempt] of Object.entries(attempts(store, path))) {
        await expect(attempt(), name).rejects.toEqual(code('forbidden'));
      }
      await expect(store.create(path, encode('x'))).rejects.toEqual(code('exists'));
    }
    expect((await store.list()).problems.map(({ code }) => code)).toEqual(['outside_vault', 'outside_vault']);
    expect(await fs.readFile(join(outside, 'secret.md'), 'utf8')).toBe('secret');
  });

  test('that lead nowhere or in a circle are refused and make nothing', async () => {
    const { root, outside, store } = await scratchVault();
    await fs.symlink('../outside/missing.md', join(root, 'dangling.md'));
    await fs.symlink('../outside/missing', join(root, 'folder'));
    await fs.symlink('loop-b.md', join(root, 'loop-a.md'));
    await fs.symlink('loop-a.md', join(root, 'loop-b.md'));
    await fs.symlink('.', join(root, 'self'));
    for (const path of ['dangling.md', 'loop-a.md']) {
      await expect(store.read(path)).rejects.toEqual(code('forbidden'));
      await expect(store.create(path, encode('x'))).rejects.toEqual(code('exists'));
    }
    await expect(store.create('folder/x.md', encode('x'))).rejects.toEqual(code('forbidden'));
    expect(await everyName(outside)).toEqual(['secret.md']);
    const { entries, problems } = await store.list();
    expect(entries).toEqual([]);
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'dangling.md',
      'folder',
      'loop-a.md',
      'loop-b.md',
    ]);
  });

  test('into hidden folders are refused', async () => {
    const { root, store } = await scratchVault({ '.git/config': 'token' });
    await fs.symlink('.git', join(root, 'git'));
    await fs.symlink('.git/config', join(root, 'config.md'));
    await expect(store.read('git/config')).rejects.toEqual(code('forbidden'));
    await expect(store.create('git/hook', encode('x'))).rejects.toEqual(code('forbidden'));
    await expect(store.read('config.md')).rejects.toEqual(code('forbidden'));
    expect((await store.list()).entries).toEqual([]);
  });

  test('that stay inside reach their note under its real path, once; moving them is refused', async () => {
    const { root, store } = await scratchVault({ 'real/note.md': 'v1' });
    await fs.symlink('real/note.md', join(root, 'alias.md'));
    await fs.symlink('real', join(root, 'folder'));
    expect((await store.list()).entries.map(({ path }) => path)).toEqual(['real/note.md']);
    expect((await store.list()).problems).toEqual([]);
    expect((await store.read('alias.md')).entry.path).toBe('real/note.md');
    expect((await store.read('folder/note.md')).entry.path).toBe('real/note.md');
    const entry = await store.replace('alias.md', encode('v2'), { expectedEtag: etagOf(encode('v1')) });
    expect(entry.path).toBe('real/note.md');
    expect((await fs.lstat(join(root, 'alias.md'))).isSymbolicLink()).toBe(true);
    await expect(store.move('alias.md', 'x.md')).rejects.toEqual(code('forbidden'));
    await expect(store.trash('alias.md')).rejects.toEqual(code('forbidden'));
    expect(decode((await store.read('real/note.md')).bytes)).toBe('v2');
    expect((await store.create('folder/new.md', encode('n'))).path).toBe('real/new.md');
  });

  test('in place of the trash are refused', async () => {
    const { root, outside, store } = await scratchVault({ 'a.md': 'A' });
    await fs.symlink('../outside', join(root, '.trash'));
    await expect(store.trash('a.md')).rejects.toEqual(code('forbidden'));
    await expect(store.restore('.trash/secret.md', 'x.md')).rejects.toEqual(code('forbidden'));
    expect(await everyName(outside)).toEqual(['secret.md']);
    expect(decode((await store.read('a.md')).bytes)).toBe('A');
  });

  test('to the vault itself are fine', async () => {
    const { root, outside } = await scratchVault({ 'a.md': 'A' });
    await fs.symlink(root, join(outside, 'way-in'));
    const store = await openFolderStore({ root: join(outside, 'way-in') });
    expect(decode((await store.read('a.md')).bytes)).toBe('A');
    await store.close();
  });

  test('swapped in at full speed never let a read or a write through', async () => {
    const { root, outside, store } = await scratchVault({ 'dir/secret.md': 'inside' });
    const swapper = spawn(process.execPath, ['-e', SWAPPER], { cwd: root, stdio: 'ignore' });
    onTestFinished(() => void swapper.kill('SIGKILL'));
    const seen = new Set<string>();
    const outcomes = new Set<string>();
    const until = performance.now() + 1500;
    for (let i = 0; performance.now() < until; i++) {
      const results = await Promise.allSettled([
        store.read('dir/secret.md').then(({ bytes }) => seen.add(decode(bytes))),
        store.create(`dir/new-${i}.md`, encode('x')),
        store.list('dir').then(({ entries }) => {
          for (const { path } of entries) seen.add(path.startsWith('dir/') ? 'inside' : path);
        }),
      ]);
      for (const result of results) {
        outcomes.add(result.status === 'fulfilled' ? 'done' : String(result.reason.code));
      }
    }
    swapper.kill('SIGKILL');
    expect(outcomes).toContain('done');
    expect(outcomes).toContain('forbidden');
    expect([...seen]).toEqual(['inside']);
    expect(await everyName(outside)).toEqual(['secret.md']);
  });
});

/** Puts the folder and a link to the outside in each other's place as fast as it can. */
const SWAPPER = `
  const fs = require('node:fs');
  const attempt = (step) => { try { step(); } catch {} };
  for (let i = 0; ; i++) {
    attempt(() => fs.renameSync('dir', '.kept-' + i));
    attempt(() => fs.symlinkSync('../outside', 'dir'));
    for (let spin = 0; spin < 20000; spin++);
    attempt(() => fs.unlinkSync('dir'));
    attempt(() => fs.renameSync('.kept-' + i, 'dir'));
    for (let spin = 0; spin < 20000; spin++);
  }`;

describe('special files', () => {
  test('are reported and never opened', async () => {
    const { root, store } = await scratchVault({ 'a.md': 'A' });
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket.md'), resolve));
    onTestFinished(() => void server.close());
    const expected = ['pipe.md', 'socket.md'];
    try {
      execFileSync('mknod', [join(root, 'device.md'), 'c', '1', '5'], { stdio: 'ignore' });
      expected.unshift('device.md');
    } catch {
      console.info('skipped: a device file needs the superuser to make');
    }
    const started = performance.now();
    for (const path of expected) {
      for (const [name, attempt] of Object.entries(attempts(store, path))) {
        await expect(attempt(), `${name} ${path}`).rejects.toEqual(code('forbidden'));
      }
      await expect(store.create(path, encode('x'))).rejects.toEqual(code('exists'));
      await expect(store.create(`${path}/x.md`, encode('x'))).rejects.toEqual(code('invalid_path'));
    }
    const { entries, problems } = await store.list();
    expect(entries.map(({ path }) => path)).toEqual(['a.md']);
    expect(problems.map(({ path, code }) => [path, code]).sort()).toEqual(
      expected.map((path) => [path, 'special_file']),
    );
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('names', () => {
  test('that differ in case are two notes where the drive says so', async () => {
    const { root, store } = await scratchVault({ 'a.md': 'lower' });
    const foldsCase = await fs.access(join(root, 'A.md')).then(
      () => true,
      () => false,
    );
    if (foldsCase) {
      await expect(store.create('A.md', encode('upper'))).rejects.toEqual(code('exists'));
      return;
    }
    await store.create('A.md', encode('upper'));
    expect(decode((await store.read('a.md')).bytes)).toBe('lower');
    expect(decode((await store.read('A.md')).bytes)).toBe('upper');
  });

  test('that Windows reserves are ordinary files elsewhere', async () => {
    const { root, store } = await scratchVault();
    if (process.platform === 'win32') {
      await expect(store.create('NUL.md', encode('x'))).rejects.toEqual(code('invalid_path'));
      return;
    }
    for (const path of ['NUL.md', 'con/aux.md', 'COM1']) await store.create(path, encode(path));
    expect(await everyName(root)).toEqual(['COM1', 'NUL.md', 'con', 'con/aux.md']);
  });

  test('of 255 bytes work in full, trash numbering included', async () => {
    const { store } = await scratchVault();
    const path = `${'語'.repeat(84)}.md`;
    expect(Buffer.byteLength(path)).toBe(255);
    for (let i = 0; i < 2; i++) {
      await store.create(path, encode('1'));
      await store.replace(path, encode('2'), { expectedEtag: etagOf(encode('1')) });
      const { trashPath = '' } = await store.trash(path);
      expect(Buffer.byteLength(trashPath.slice('.trash/'.length))).toBeLessThanOrEqual(255);
    }
    expect(await store.listTrash()).toHaveLength(2);
  });

  test('in the other Unicode form are used for parents instead of making twins', async () => {
    const { root, store } = await scratchVault({ 'Cafe\u0301/a.md': 'A' });
    const entry = await store.create('Caf\u00e9/sub/b.md', encode('B'));
    expect(entry.path).toBe('Cafe\u0301/sub/b.md');
    expect(await fs.readdir(root)).toEqual(['Cafe\u0301']);
  });
});

test('a hard link is an ordinary file: a replace leaves its other name on the old version', async () => {
  const { root, outside, store } = await scratchVault({ 'a.md': 'v1' });
  await fs.link(join(root, 'a.md'), join(outside, 'other.md'));
  await store.replace('a.md', encode('v2'), { expectedEtag: etagOf(encode('v1')) });
  expect(await fs.readFile(join(outside, 'other.md'), 'utf8')).toBe('v1');
  await fs.link(join(root, 'a.md'), join(root, 'b.md'));
  await expect(store.move('a.md', 'b.md')).rejects.toEqual(code('exists'));
  expect(await everyName(root)).toEqual(['a.md', 'b.md']);
});

test('a vault that is missing, a file or unmounted is an error, never an empty vault', async () => {
  const { root, store } = await scratchVault({ 'a.md': 'A' });
  await expect(openFolderStore({ root: join(root, 'none') })).rejects.toEqual(code('not_found'));
  await expect(openFolderStore({ root: join(root, 'a.md') })).rejects.toEqual(code('invalid_input'));
  await fs.rename(root, `${root}-away`);
  await expect(store.list()).rejects.toEqual(code('unavailable'));
  await expect(store.list('dir')).rejects.toEqual(code('unavailable'));
  await expect(store.create('x.md', encode('x'))).rejects.toEqual(code('unavailable'));
  await fs.rename(`${root}-away`, root);
  expect((await store.list()).entries).toHaveLength(1);
});
