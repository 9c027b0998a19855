import { execFileSync } from 'node:child_process';
import type * as Fs from 'node:fs';
import { appendFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { readFile } from '../read.ts';
import { encode, scratchVault } from '../scratch-vault.ts';
import { Containment } from './contain.ts';
import { Drive } from './drive.ts';
import { readPlain } from './read-plain.ts';

// Another program that acts at one exact moment of a read; and what was read from in spite of it.
const moments = vi.hoisted(() => ({ beforeOpen: () => {}, afterOpen: () => {}, reads: 0 }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const openSync: typeof fs.openSync = (path, flags, mode) => {
    if (!String(path).endsWith('.md')) return fs.openSync(path, flags, mode);
    moments.beforeOpen();
    const fd = fs.openSync(path, flags, mode);
    moments.afterOpen();
    return fd;
  };
  const readSync = (...args: Parameters<typeof fs.readSync>) => {
    moments.reads++;
    return fs.readSync(...args);
  };
  return { ...fs, openSync, readSync };
});

beforeEach(() => {
  moments.beforeOpen = () => {};
  moments.afterOpen = () => {};
  moments.reads = 0;
});

const MAX = 1_000_000;

async function vault(files: Record<string, string>) {
  const { root, outside, store } = await scratchVault(files);
  const real = realpathSync(root);
  const slow = await Drive.at(real);
  // As for a drive that is asked in the background.
  slow.together = async () => undefined;
  const wall = new Containment(real, await Drive.at(real));
  return { root: real, outside, store, wall, stepByStep: new Containment(real, slow) };
}

describe.runIf(process.platform === 'linux')('readPlain', () => {
  test('reads an ordinary note as it is read step by step', async () => {
    const { wall, stepByStep } = await vault({ 'Folder/note.md': 'text', 'empty.md': '' });
    for (const path of ['Folder/note.md', 'empty.md']) {
      expect(await readPlain(stepByStep, path, MAX)).toBeUndefined();
      const plain = await readPlain(wall, path, MAX);
      expect(plain).toBeDefined();
      expect(plain).toEqual(await readFile(stepByStep, path, MAX));
    }
  });

  test('leaves everything out of the ordinary alone', async () => {
    const { wall, root, outside } = await vault({ 'Folder/note.md': 'text', 'Cafe\u0301.md': 'nfd' });
    symlinkSync('Folder/note.md', join(root, 'linked.md'));
    symlinkSync('Folder', join(root, 'Linked'));
    symlinkSync(outside, join(root, 'Out'));
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    writeFileSync(join(root, 'large.md'), 'x'.repeat(300_000));
    const paths = [
      'linked.md',
      'Linked/note.md',
      'Out/secret.md',
      'pipe.md',
      'large.md',
      'Folder',
      'none.md',
    ];
    for (const path of [...paths, 'Caf\u00e9.md', 'Folder/note.md/x.md'])
      expect(await readPlain(wall, path, MAX), path).toBeUndefined();
    expect(await readPlain(wall, 'Folder/note.md', 3)).toBeUndefined();
    expect(moments.reads).toBe(0);
    await expect(readPlain(wall, '../outside/secret.md', MAX)).rejects.toMatchObject({
      code: 'invalid_path',
    });
    await expect(readPlain(wall, '.obsidian/x.md', MAX)).rejects.toMatchObject({ code: 'invalid_path' });
  });

  test.each(['beforeOpen', 'afterOpen'] as const)(
    'reads nothing from a folder swapped for a link to the outside (%s)',
    async (moment) => {
      const { wall, root, outside } = await vault({ 'Folder/secret.md': 'mine' });
      moments[moment] = () => {
        renameSync(join(root, 'Folder'), join(root, 'Moved'));
        symlinkSync(outside, join(root, 'Folder'));
      };
      expect(await readPlain(wall, 'Folder/secret.md', MAX)).toBeUndefined();
      expect(moments.reads).toBe(0);
    },
  );

  test('reads nothing from a link or a pipe that took the place of the file', async () => {
    const { wall, root, outside } = await vault({ 'a.md': 'mine', 'b.md': 'mine' });
    moments.beforeOpen = () => {
      renameSync(join(root, 'a.md'), join(root, 'was.md'));
      symlinkSync(join(outside, 'secret.md'), join(root, 'a.md'));
    };
    expect(await readPlain(wall, 'a.md', MAX)).toBeUndefined();
    moments.beforeOpen = () => {
      renameSync(join(root, 'b.md'), join(root, 'was.md'));
      execFileSync('mkfifo', [join(root, 'b.md')]);
    };
    expect(await readPlain(wall, 'b.md', MAX)).toBeUndefined();
  });

  test('returns nothing torn: a note that is written to or replaced meanwhile is read again', async () => {
    const { wall, root, store } = await vault({ 'a.md': 'before' });
    moments.afterOpen = () => appendFileSync(join(root, 'a.md'), ' and after');
    expect(await readPlain(wall, 'a.md', MAX)).toBeUndefined();
    moments.afterOpen = () => {};
    moments.beforeOpen = () => {
      moments.beforeOpen = () => {};
      writeFileSync(join(root, '.other'), 'replaced');
      renameSync(join(root, '.other'), join(root, 'a.md'));
    };
    expect((await store.read('a.md')).bytes).toEqual(encode('replaced'));
  });
});
