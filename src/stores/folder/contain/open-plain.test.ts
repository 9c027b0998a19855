import { execFileSync } from 'node:child_process';
import type * as Fs from 'node:fs';
import { appendFileSync, realpathSync, renameSync, symlinkSync } from 'node:fs';
import * as fsp from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { decode, scratchVault } from '../scratch-vault.ts';
import { Containment } from './contain.ts';
import { Drive } from './drive.ts';
import { type FoundOpen, findAndOpen, openPlain } from './open-plain.ts';

// Another program that acts at one exact moment, and what was opened and closed meanwhile.
const moments = vi.hoisted(() => ({ beforeOpen: (_place: string) => {}, open: 0 }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const openSync: typeof fs.openSync = (path, flags, mode) => {
    moments.beforeOpen(String(path));
    const fd = fs.openSync(path, flags, mode);
    moments.open++;
    return fd;
  };
  const closeSync: typeof fs.closeSync = (fd) => {
    moments.open--;
    fs.closeSync(fd);
  };
  return { ...fs, openSync, closeSync };
});

beforeEach(() => {
  moments.beforeOpen = () => {};
  moments.open = 0;
});

const MAX = 1_000_000;

async function vault(files: Record<string, string>) {
  const { root, outside } = await scratchVault(files);
  const real = realpathSync(root);
  const slow = await Drive.at(real);
  // As for a drive that is asked in the background.
  slow.together = async () => undefined;
  const wall = new Containment(real, await Drive.at(real));
  return { root: real, outside, wall, stepByStep: new Containment(real, slow) };
}

async function facts(wall: Containment, found: FoundOpen | undefined) {
  if (found === undefined) return undefined;
  const { located, old } = found;
  const at = located.folder.at(located.name);
  const facts = {
    path: located.path,
    name: located.name,
    viaLink: located.viaLink,
    folder: located.folder.path,
    inode: (await fsp.stat(at)).ino,
    text: decode(old.bytes),
    stats: old.stats,
  };
  await wall.drive.close(old.fd);
  await located.folder.close();
  return facts;
}

describe.runIf(process.platform === 'linux')('openPlain', () => {
  test('finds an ordinary note as it is found step by step', async () => {
    const { wall, stepByStep } = await vault({ 'Folder/Sub/note.md': 'text', 'empty.md': '' });
    for (const path of ['Folder/Sub/note.md', 'empty.md']) {
      expect(await openPlain(stepByStep, path, MAX)).toBeUndefined();
      const plain = await facts(wall, await openPlain(wall, path, MAX));
      expect(plain).toBeDefined();
      expect(plain).toEqual(await facts(stepByStep, await findAndOpen(stepByStep, path, MAX)));
    }
    expect(moments.open).toBe(0);
  });

  test('leaves everything out of the ordinary alone, and nothing open', async () => {
    const { wall, root, outside } = await vault({ 'Folder/note.md': 'text', 'Cafe\u0301.md': 'nfd' });
    symlinkSync(join(root, 'Folder'), join(root, 'Linked'));
    symlinkSync(outside, join(root, 'Outside'));
    symlinkSync('Folder/note.md', join(root, 'link.md'));
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    for (const path of [
      'Linked/note.md',
      'Outside/secret.md',
      'link.md',
      'pipe.md',
      'Folder',
      'gone.md',
      'Gone/note.md',
      'Caf\u00e9.md',
    ]) {
      expect([path, await openPlain(wall, path, MAX)]).toEqual([path, undefined]);
    }
    expect(await openPlain(wall, 'Folder/note.md', 3)).toBeUndefined();
    await expect(findAndOpen(wall, '../outside/secret.md', MAX)).rejects.toMatchObject({
      code: 'invalid_path',
    });
    expect(await findAndOpen(wall, 'gone.md', MAX)).toBeUndefined();
    await expect(findAndOpen(wall, 'Folder/note.md', 3)).rejects.toMatchObject({ code: 'too_large' });
    expect(moments.open).toBe(0);
  });

  test('is not led outside by a folder that is swapped for a link', async () => {
    const { wall, root, outside } = await vault({ 'Folder/secret.md': 'mine' });
    const swap = () => {
      renameSync(join(root, 'Folder'), join(root, 'Away'));
      symlinkSync(outside, join(root, 'Folder'));
      moments.beforeOpen = () => {};
    };
    moments.beforeOpen = swap;
    expect(await openPlain(wall, 'Folder/secret.md', MAX)).toBeUndefined();
    expect(moments.open).toBe(0);

    // Once the folder is open, what becomes of its name no longer matters.
    const again = await vault({ 'Folder/secret.md': 'mine' });
    moments.beforeOpen = (place) => {
      if (!place.endsWith('secret.md')) return;
      renameSync(join(again.root, 'Folder'), join(again.root, 'Away'));
      symlinkSync(again.outside, join(again.root, 'Folder'));
    };
    const found = await facts(again.wall, await openPlain(again.wall, 'Folder/secret.md', MAX));
    expect(found?.text).toBe('mine');
  });

  test('leaves a note alone that is written to or swapped for a link meanwhile', async () => {
    const { wall, root, outside } = await vault({ 'a.md': 'text', 'b.md': 'text' });
    moments.beforeOpen = (place) => {
      if (place.endsWith('a.md')) appendFileSync(join(root, 'a.md'), ' and more');
      if (!place.endsWith('b.md')) return;
      renameSync(join(root, 'b.md'), join(root, 'c.md'));
      symlinkSync(join(outside, 'secret.md'), join(root, 'b.md'));
    };
    expect(await openPlain(wall, 'a.md', MAX)).toBeUndefined();
    expect(await openPlain(wall, 'b.md', MAX)).toBeUndefined();
    expect(moments.open).toBe(0);
  });
});
