import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { etagOf } from '../../notes/etag.ts';
import type * as Place from './contain/place.ts';
import { encode, everyName, scratchVault } from './scratch-vault.ts';
import type * as Create from './swap/create.ts';

// An editor that acts at one exact moment of a replace.
const moments = vi.hoisted(() => ({ beforeExchange: () => {}, afterPlace: () => {} }));
vi.mock('./swap/create.ts', async (original) => {
  const create = await original<typeof Create>();
  const writeDurably: typeof Create.writeDurably = async (...args) => {
    const written = await create.writeDurably(...args);
    moments.beforeExchange();
    return written;
  };
  return { ...create, writeDurably };
});
vi.mock('./contain/place.ts', async (original) => {
  const place = await original<typeof Place>();
  const placeNew: typeof Place.placeNew = (from, to) => {
    place.placeNew(from, to);
    moments.afterPlace();
  };
  return { ...place, placeNew };
});

beforeEach(() => {
  moments.beforeExchange = () => {};
  moments.afterPlace = () => {};
});

const conflict = expect.objectContaining({ code: 'conflict' });

/** A vault whose note was last written by the store itself (quiet) or by somebody else just now (busy). */
async function vault(state: string) {
  const opened = await scratchVault({ 'n.md': state === 'quiet' ? 'seed' : 'text' });
  if (state === 'quiet') {
    await opened.store.replace('n.md', encode('text'), { expectedEtag: etagOf(encode('seed')) });
  }
  return { ...opened, note: join(opened.root, 'n.md') };
}
const replace = (store: Awaited<ReturnType<typeof vault>>['store']) =>
  store.replace('n.md', encode('mine'), { expectedEtag: etagOf(encode('text')) });

describe.each(['quiet', 'busy'])('between reading a %s note and replacing it', (state) => {
  test('a save by rename wins', async () => {
    const { root, store, note } = await vault(state);
    moments.beforeExchange = () => {
      writeFileSync(join(root, '.editor'), 'theirs');
      renameSync(join(root, '.editor'), note);
    };
    await expect(replace(store)).rejects.toEqual(conflict);
    expect(readFileSync(note, 'utf8')).toBe('theirs');
    expect(await everyName(root)).toEqual(['n.md']);
  });

  test('a save in place wins', async () => {
    const { root, store, note } = await vault(state);
    moments.beforeExchange = () => writeFileSync(note, 'theirs');
    await expect(replace(store)).rejects.toEqual(conflict);
    expect(readFileSync(note, 'utf8')).toBe('theirs');
    expect(await everyName(root)).toEqual(['n.md']);
  });

  test('a save of the same size within one tick of the clock wins', async () => {
    const { root, store, note } = await vault(state);
    const { atimeMs, mtimeMs } = await fs.stat(note);
    moments.beforeExchange = () => {
      writeFileSync(note, 'TEXT');
    };
    // Times set back stand for a clock too coarse to tell the two saves apart.
    const { utimesSync } = await import('node:fs');
    utimesSync(note, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000));
    const write = moments.beforeExchange;
    moments.beforeExchange = () => {
      write();
      utimesSync(note, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000));
    };
    await expect(replace(store)).rejects.toEqual(conflict);
    expect(readFileSync(note, 'utf8')).toBe('TEXT');
    expect(await everyName(root)).toEqual(['n.md']);
  });

  test('a deletion wins', async () => {
    const { root, store, note } = await vault(state);
    moments.beforeExchange = () => unlinkSync(note);
    await expect(replace(store)).rejects.toEqual(conflict);
    expect(await everyName(root)).toEqual([]);
  });
});

test('a write to the old version after the new one is in place gives the place back', async () => {
  const { root, store, note } = await vault('busy');
  const editor = await fs.open(note, 'r+');
  const { writeSync } = await import('node:fs');
  moments.afterPlace = () => {
    moments.afterPlace = () => {};
    writeSync(editor.fd, 'theirs', 0);
  };
  await expect(replace(store)).rejects.toEqual(conflict);
  await editor.close();
  expect(readFileSync(note, 'utf8')).toBe('theirs');
  expect(await everyName(root)).toEqual(['n.md']);
});

test('two versions of editors at once: the later keeps the place, the earlier lies beside it', async () => {
  const { root, store, note } = await vault('busy');
  const editor = await fs.open(note, 'r+');
  const { writeSync } = await import('node:fs');
  moments.afterPlace = () => {
    moments.afterPlace = () => {};
    writeSync(editor.fd, 'theirs', 0);
    writeFileSync(join(root, '.other'), 'another editor');
    renameSync(join(root, '.other'), note);
  };
  await expect(replace(store)).rejects.toEqual(conflict);
  await editor.close();
  expect(readFileSync(note, 'utf8')).toBe('another editor');
  const names = await everyName(root);
  expect(names).toHaveLength(2);
  const copy = names.find((name) => name !== 'n.md') ?? '';
  expect(copy).toMatch(/^n \(conflict /);
  expect(readFileSync(join(root, copy), 'utf8')).toBe('theirs');
});

test('a save right after the replace leaves the answer describing the version that was written', async () => {
  const { root, store, note } = await vault('busy');
  moments.afterPlace = () => {
    moments.afterPlace = () => {};
    writeFileSync(join(root, '.editor'), 'theirs, later');
    renameSync(join(root, '.editor'), note);
  };
  const entry = await replace(store);
  expect(entry.size).toBe(4);
  expect(entry.version).not.toBe((await store.stat('n.md'))?.version);
  expect(readFileSync(note, 'utf8')).toBe('theirs, later');
  expect(await everyName(root)).toEqual(['n.md']);
});
