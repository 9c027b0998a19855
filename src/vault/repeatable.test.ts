import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { LecternError } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { openJournal } from '../journal/sqlite/journal.ts';
import type { Store } from '../stores/store.ts';
import type { VaultSession } from './session.ts';

/** Calls with an idempotency key whose process ends at a point of the write, and what a repetition gets. */

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open) await vault.close();
  for (const vault of open.splice(0)) discard(vault);
});

const tool = 'note_patch';
const FILES = { 'a.md': 'a\n', 'b.md': '[[a]]\n', 'c.md': '[[a]] c\n' };
const append = (session: VaultSession) =>
  session.patch('a.md', [{ op: 'append_body', markdown: 'x' }], { tool });
const call = <T>(vault: TestVault, work: (session: VaultSession) => Promise<T>, input: unknown = 1) =>
  vault.session.replayWrite('k', tool, input, work);

/** From here on nothing returns. */
function never(reached: () => void): Promise<never> {
  reached();
  return new Promise(() => {});
}

/** A vault whose journal is told of no end: as if the process had died between the write and its last word. */
async function cut(work: (session: VaultSession) => Promise<unknown>): Promise<TestVault> {
  let reached: () => void = () => {};
  const atTheEnd = new Promise<void>((resolve) => (reached = resolve));
  const cutJournal = (journal: Journal): Journal =>
    new Proxy(journal, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (key === 'finish') return () => never(reached);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const vault = await openTestVault(FILES, { wrapJournal: cutJournal });
  void call(vault, work).catch(() => {});
  await atTheEnd;
  return vault;
}

/** The vault as another process finds it: the first one is gone, and with it its locks. */
async function reopen(vault: TestVault): Promise<TestVault> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  const state = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  cpSync(vault.folder, folder, { recursive: true });
  cpSync(vault.state, state, { recursive: true, filter: (path) => !path.endsWith('-shm') });
  discard(vault);
  const again = await openTestVault({}, { reopen: { folder, state } });
  open.push(again);
  return again;
}

describe('a call that was cut short', () => {
  it('is answered by its key as it would have been, and writes nothing again', async () => {
    const vault = await reopen(await cut(append));
    expect(vault.file('a.md')).toBe('a\nx\n');
    const answer = await call(vault, append);
    expect(answer).toMatchObject({ path: 'a.md', changed: true, writeId: 1, notices: [] });
    expect(await call(vault, append)).toEqual(answer);
    expect(vault.file('a.md')).toBe('a\nx\n');
    await expect(call(vault, append, 2)).rejects.toMatchObject({ code: 'invalid_input' });
    expect((await append(vault.session)).writeId).toBe(2);
  });

  it('goes on with what it had not written yet', async () => {
    const both = async (session: VaultSession) => [
      await append(session),
      await session.move('a.md', 'z.md', { tool }),
    ];
    const vault = await reopen(await cut(both));
    expect(vault.files()).toEqual({ ...FILES, 'a.md': 'a\nx\n' });
    expect(await call(vault, both)).toMatchObject([{ writeId: 1 }, { writeId: 2, to: 'z.md', links: 2 }]);
    expect(vault.files()).toEqual({ 'z.md': 'a\nx\n', 'b.md': '[[z]]\n', 'c.md': '[[z]] c\n' });
  });

  it('is refused by its key when the note was changed since: it might be written twice', async () => {
    const vault = await cut(append);
    writeFileSync(join(vault.folder, 'a.md'), 'a\nx\nand more by hand\n');
    const again = await reopen(vault);
    for (const _ of [1, 2])
      await expect(call(again, append)).rejects.toMatchObject({
        code: 'conflict',
        details: { path: 'a.md' },
      });
    expect(again.file('a.md')).toBe('a\nx\nand more by hand\n');
    expect((await append(again.session)).changed).toBe(true);
  });

  it('says which links could not follow, as somebody changed their note since', async () => {
    const move = (session: VaultSession) => session.move('a.md', 'z.md', { tool });
    const vault = await cut(move);
    writeFileSync(join(vault.folder, 'c.md'), '[[a]] by hand\n');
    const journal = openJournal(join(vault.state, 'journal.db'));
    // As it would have been a moment earlier: the links of c were not reached.
    expect(journal.pending().map(({ id }) => id)).toEqual([1]);
    journal.close();
    const answer = await call(await reopen(vault), move);
    expect(answer).toMatchObject({ to: 'z.md', writeId: 1 });
    expect(answer.notices).toEqual(['c.md was changed meanwhile; its links were not updated.']);
  });

  it.each([
    ['a patch', append],
    [
      'a move of a note whose own links change',
      (session) => session.move('d/own.md', 'e/f/own.md', { tool }),
    ],
    ['a move of a folder', (session) => session.move('d', 'e/f/g', { tool })],
  ] as const satisfies readonly (readonly [
    string,
    (session: VaultSession) => Promise<{ writeId: number | undefined }>,
  ])[])('is done anew where its first byte was never written: %s', async (_, work) => {
    const stuck = (store: Store): Store =>
      new Proxy(store, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (['replace', 'move', 'moveFolder', 'batch'].includes(String(key))) return () => never(reached);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    let reached: () => void = () => {};
    const atTheStore = new Promise<void>((resolve) => (reached = resolve));
    const files = { ...FILES, 'd/own.md': '[a](../a.md) [c](./c.md)\n', 'd/c.md': '[own](own.md)\n' };
    const vault = await openTestVault(files, { wrap: stuck });
    void call<{ writeId: number | undefined }>(vault, work).catch(() => {});
    await atTheStore;
    const again = await reopen(vault);
    expect(again.files()).toEqual(files);
    expect(await call<{ writeId: number | undefined }>(again, work)).toMatchObject({ writeId: 2 });
    expect(again.files()).not.toEqual(files);
  });
});

it('a write that was taken back is tried again by its key', async () => {
  let isFull = true;
  const full = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        if (key === 'batch') return undefined;
        return (...given: unknown[]) => {
          if (key === 'replace' && given[0] === 'c.md' && isFull)
            throw new LecternError('unavailable', 'The disk is full.');
          return value.apply(target, given);
        };
      },
    });
  const vault = await openTestVault(FILES, { wrap: full });
  open.push(vault);
  const move = (session: VaultSession) => session.move('a.md', 'z.md', { tool });
  await expect(call(vault, move)).rejects.toMatchObject({ code: 'unavailable' });
  expect(vault.files()).toEqual(FILES);
  isFull = false;
  expect(await call(vault, move)).toMatchObject({ to: 'z.md', links: 2 });
  expect(vault.files()).toEqual({ 'z.md': 'a\n', 'b.md': '[[z]]\n', 'c.md': '[[z]] c\n' });
});

it('a write that was undone is not done again by its key', async () => {
  const vault = await openTestVault(FILES);
  open.push(vault);
  const answer = await call(vault, append);
  await vault.session.undo({ tool, writeId: answer.writeId });
  expect(await call(vault, append)).toEqual(answer);
  expect(vault.file('a.md')).toBe('a\n');
});

it('a journal that cannot take the last word of a write, nor its answer, still knows that it was done', async () => {
  let isFull = true;
  const full = (journal: Journal): Journal =>
    new Proxy(journal, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (isFull && (key === 'finish' || key === 'remember'))
            throw new LecternError('unavailable', 'The disk is full.');
          return value.apply(target, given);
        };
      },
    });
  const vault = await openTestVault(FILES, { wrapJournal: full });
  open.push(vault);
  const answer = await call(vault, append);
  isFull = false;
  expect(await call(vault, append)).toEqual(answer);
  expect(vault.file('a.md')).toBe('a\nx\n');
});

it('two servers that are asked at once by one key write once', async () => {
  const one = await openTestVault(FILES);
  open.push(one);
  const two = await openTestVault({}, { reopen: one });
  const [a, b] = await Promise.all([call(one, append), call(two, append)]);
  await two.close();
  expect(b).toEqual(a);
  expect(one.file('a.md')).toBe('a\nx\n');
});

it('one caller’s key says nothing to another', async () => {
  const vault = await openTestVault(FILES);
  open.push(vault);
  await call(vault, append);
  const other = vault.vault.session({ ...ACTOR, name: 'other' });
  expect(await other.replayWrite('k', tool, 1, append)).toMatchObject({ writeId: 2 });
});
