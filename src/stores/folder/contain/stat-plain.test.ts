import type * as Fs from 'node:fs';
import {
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { scratchVault } from '../scratch-vault.ts';
import { Containment } from './contain.ts';
import { Drive } from './drive.ts';
import { statPlain } from './stat-plain.ts';

// Another program that acts just before a file is looked at; and by which path that was done.
const moments = vi.hoisted(() => ({ before: (_place: string) => {}, places: [] as string[] }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const lstatSync = (...args: Parameters<typeof fs.lstatSync>) => {
    moments.before(String(args[0]));
    if (String(args[0]).endsWith('.md')) moments.places.push(String(args[0]));
    return fs.lstatSync(...args);
  };
  return { ...fs, lstatSync };
});

beforeEach(() => {
  moments.before = () => {};
  moments.places = [];
});

const NAMES = Array.from({ length: 20 }, (_, at) => `${at}.md`);
const SIZE = 4n;
const ctimeOf = (path: string) => statSync(path, { bigint: true }).ctimeNs;

/** A folder of twenty notes that is open, and a folder outside with larger files of the same names. */
async function vault() {
  const { root, outside } = await scratchVault(
    Object.fromEntries(NAMES.map((name) => [`sub/${name}`, 'text'])),
  );
  for (const name of NAMES) writeFileSync(join(outside, name), 'a secret');
  const real = realpathSync(root);
  const wall = new Containment(real, await Drive.at(real));
  const folder = await wall.folder('sub');
  if (folder === undefined) throw new Error('no folder');
  onTestFinished(() => folder.close());
  const sub = join(real, 'sub');
  // A rename after this shows in the change time: the clock of the file system has taken a step since the folder changed.
  await expect
    .poll(() => {
      writeFileSync(join(outside, 'clock'), '');
      return ctimeOf(join(outside, 'clock'));
    })
    .toBeGreaterThan(ctimeOf(sub));
  const put = () => {
    renameSync(sub, `${sub}-away`);
    symlinkSync(outside, sub);
  };
  const takeBack = () => {
    unlinkSync(sub);
    renameSync(`${sub}-away`, sub);
  };
  return { wall, folder, sub, outside, put, takeBack };
}

const sizes = async ({ wall, folder }: Awaited<ReturnType<typeof vault>>) =>
  (await statPlain(wall, folder, NAMES))?.map((looked) => ('size' in looked ? looked.size : looked));
const allOwn = NAMES.map(() => SIZE);

describe.runIf(process.platform === 'linux')('statPlain', () => {
  test('looks at every file by its plain path', async () => {
    const opened = await vault();
    expect(await sizes(opened)).toEqual(allOwn);
    expect(moments.places).toEqual(NAMES.map((name) => join(opened.sub, name)));
  });

  test('says of each file that is gone that it is', async () => {
    const opened = await vault();
    unlinkSync(join(opened.sub, '7.md'));
    const looked = await sizes(opened);
    expect(looked?.[7]).toMatchObject({ code: 'ENOENT' });
    expect(looked?.filter((size) => size === SIZE)).toHaveLength(19);
  });

  test('is not led outside by a folder that was swapped for a link before', async () => {
    const opened = await vault();
    opened.put();
    expect(await sizes(opened)).toEqual(allOwn);
    expect(moments.places.filter((place) => place.startsWith(opened.sub))).toEqual([]);
  });

  test('nor by one that is swapped meanwhile, for good or for a moment', async () => {
    for (const isBack of [false, true]) {
      const opened = await vault();
      moments.before = (place) => {
        if (place === join(opened.sub, '3.md')) opened.put();
        if (isBack && place === join(opened.sub, '9.md')) opened.takeBack();
      };
      expect(await sizes(opened)).toEqual(allOwn);
    }
  });

  test('nor by another folder that takes its place', async () => {
    const opened = await vault();
    moments.before = (place) => {
      if (place !== join(opened.sub, '3.md')) return;
      renameSync(opened.sub, `${opened.sub}-away`);
      mkdirSync(opened.sub);
    };
    expect(await sizes(opened)).toEqual(allOwn);
    rmSync(opened.sub, { recursive: true });
  });

  test('leaves a drive that is asked in the background alone', async () => {
    const opened = await vault();
    opened.wall.drive.together = async () => undefined;
    expect(await sizes(opened)).toBeUndefined();
  });
});
