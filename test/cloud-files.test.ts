import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { isLecternError } from '../src/errors.ts';
import { noteExists } from '../src/operations/note-exists.ts';
import { restClient } from './support/rest-client.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** Notes whose text a cloud drive holds: what is known of them is said, and none is taken for absent. */

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultOf(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

/** Case idx-01, and one deeper down. */
const FILES = {
  '.MyNote.md.icloud': 'bplist00',
  'L.md': '[[MyNote]] [[Deep]]\n',
  'dir/.Deep.md.icloud': 'bplist00',
};

const tool = 'test';

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  return work.then(
    (value) => ({ code: 'done', message: JSON.stringify(value) }),
    (error: unknown) => {
      if (!isLecternError(error)) throw error;
      return { code: error.code, message: error.message };
    },
  );
}

it('idx-01: every read and write of it is refused for what it is', async () => {
  const { session, files } = await vaultOf(FILES);
  const before = files();
  const attempts = {
    open: () => session.open('MyNote.md'),
    'open by name': () => session.open('Deep'),
    file: () => session.file('MyNote.md', 1000),
    create: () => session.write('MyNote.md', { body: 'new' }, { tool, ifNotExists: true }),
    write: () => session.write('dir/Deep.md', { body: 'new' }, { tool }),
    patch: () => session.patch('MyNote.md', [{ op: 'append_body', markdown: 'x' }], { tool }),
    delete: () => session.remove('MyNote.md', { tool }),
    move: () => session.move('MyNote.md', 'Other.md', { tool }),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const { code, message } = await refusal(attempt());
    expect(code, name).toBe('unavailable');
    expect(message, name).toMatch(/(?:MyNote|Deep)\.md" is in .*not on this computer/);
  }
  expect((await refusal(session.move('L.md', 'MyNote.md', { tool }))).code).not.toBe('done');
  expect(files()).toEqual(before);
});

it('idx-01: it exists, is listed and linked to, and no link to it leads nowhere', async () => {
  const { session } = await vaultOf(FILES);
  expect(await session.exists('MyNote.md')).toEqual({
    exists: true,
    path: 'MyNote.md',
    kind: 'note',
    isDownloaded: false,
  });
  const output = { exists: true, path: 'MyNote.md', kind: 'note' as const, downloaded: false };
  expect(noteExists.summarise(output, { path: 'MyNote.md' })).toBe(
    'MyNote.md exists (note, in a cloud drive and not downloaded).',
  );
  expect((await session.unresolved({ limit: 10 })).total).toBe(0);
  expect((await session.backlinks('MyNote.md', { limit: 10 })).total).toBe(1);
  expect((await session.forward('L.md', { limit: 10 })).items.map(({ target }) => target)).toEqual([
    'MyNote.md',
    'dir/Deep.md',
  ]);
  expect((await session.list({}, 'path', { limit: 10 })).items.map(({ path }) => path)).toEqual([
    'L.md',
    'MyNote.md',
    'dir/Deep.md',
  ]);
  const { problems } = await session.status();
  expect(problems.items.map(({ path, code }) => [path, code]).sort()).toEqual([
    ['MyNote.md', 'cloud_placeholder'],
    ['dir/Deep.md', 'cloud_placeholder'],
  ]);
});

it('over REST HEAD says that it is there, without an ETag', async () => {
  const { session } = await vaultOf(FILES);
  const { status, headers } = await restClient(session).send('HEAD', '/v1/notes/MyNote.md');
  expect(status).toBe(200);
  expect(headers.get('x-lectern-downloaded')).toBe('false');
  expect(headers.get('etag')).toBeNull();
  expect((await restClient(session).send('GET', '/v1/notes/MyNote.md')).status).toBe(503);
});

it('follows a download and an eviction', async () => {
  const { session, folder } = await vaultOf(FILES);
  writeFileSync(join(folder, 'MyNote.md'), 'needle here\n');
  renameSync(join(folder, '.MyNote.md.icloud'), join(folder, '.gone'));
  const hits = async () =>
    (await session.search({ query: 'needle', mode: 'lexical', filter: {}, limit: 5 })).items.map(
      ({ path }) => path,
    );
  await expect.poll(hits, { timeout: 10_000 }).toEqual(['MyNote.md']);
  expect((await session.exists('MyNote.md')).isDownloaded).toBe(true);
  renameSync(join(folder, 'MyNote.md'), join(folder, '.MyNote.md.icloud'));
  await expect.poll(hits, { timeout: 10_000 }).toEqual([]);
  expect((await session.exists('MyNote.md')).isDownloaded).toBe(false);
  expect((await session.backlinks('MyNote.md', { limit: 10 })).total).toBe(1);
});

it('a note that another computer made is noticed when its stub arrives', async () => {
  const { session, folder } = await vaultOf(FILES);
  writeFileSync(join(folder, 'dir/.New.md.icloud'), 'bplist00');
  await expect
    .poll(async () => (await session.list({}, 'path', { limit: 10 })).items.map(({ path }) => path), {
      timeout: 10_000,
    })
    .toContain('dir/New.md');
});

it('a file without a block on disk is not read for the index, and known to be away', async () => {
  const first = await openTestVault({ 'a.md': 'A'.repeat(5000), 'hole.md': '', 'L.md': '[[hole]]\n' });
  const { folder, state } = first;
  await first.close();
  truncateSync(join(folder, 'hole.md'), 8192);
  const again = await openTestVault({}, { reopen: { folder, state } });
  open.push(again);
  if ((await stat(join(folder, 'hole.md'))).blocks > 0) return; // This drive keeps no holes in files.
  const { session } = again;
  expect((await session.exists('hole')).isDownloaded).toBe(false);
  expect((await session.unresolved({ limit: 10 })).total).toBe(0);
  expect((await session.status()).problems.items).toMatchObject([
    { path: 'hole.md', code: 'cloud_placeholder' },
  ]);
});

it('a hidden one is not there', async () => {
  const vault = await vaultOf(FILES);
  const session = vault.vault.session({ kind: 'mcp', name: 't', session: 't' }, [
    { readOnly: false, read: { allow: [], deny: ['dir'] }, write: { allow: [], deny: [] } },
  ]);
  expect((await session.exists('dir/Deep.md')).exists).toBe(false);
  expect((await refusal(session.open('dir/Deep.md'))).code).toBe('not_found');
  expect((await session.status()).problems.total).toBe(1);
});
