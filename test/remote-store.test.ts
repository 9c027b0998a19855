import { afterEach, describe, expect, it } from 'vitest';
import { describeStoreContract } from '../src/stores/store-contract.ts';
import type { VaultChange } from '../src/vault/events.ts';
import { type NoteServer, startNoteServer } from './stores/note-server.ts';
import { openRemoteStore } from './stores/remote-store.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** A home of notes behind a socket, with ids and facts: the ports hold it without a line for it in the product. */

describeStoreContract('A remote store', {
  open: async (files, options) => {
    const server = await startNoteServer(files, options?.maxBytes);
    return { store: openRemoteStore(server.url), outside: server.notes, dispose: () => server.close() };
  },
});

const FILES = {
  'Projects/Harbour.md': '# Harbour\n\nThe crane waits for [[Tide table]].\n',
  'Tide table.md': '# Tides\n\nSlack water, see [[Harbour]]. #reference\n',
  'Board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"Tide table.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
};

const open: { server: NoteServer; vault: TestVault }[] = [];
afterEach(async () => {
  for (const { server, vault } of open.splice(0)) {
    await vault.close();
    discard(vault);
    await server.close();
  }
});

async function served(files: Record<string, string> = FILES) {
  const server = await startNoteServer(files);
  const vault = await openTestVault({}, { stores: async () => openRemoteStore(server.url) });
  open.push({ server, vault });
  const text = async (path: string) => new TextDecoder().decode((await server.notes.read(path)).bytes);
  return { server, vault, session: vault.session, text };
}

const tool = 'test';

describe('a vault on a remote store', () => {
  it('is searched, linked and edited like any other', async () => {
    const { session, text } = await served();
    const found = await session.search({ query: 'crane', mode: 'lexical', filter: {}, limit: 5 });
    expect(found.items.map(({ path }) => path)).toEqual(['Projects/Harbour.md']);
    expect(
      (await session.backlinks('Tide table.md', { limit: 5 })).items.map(({ source }) => source).sort(),
    ).toEqual(['Board.canvas', 'Projects/Harbour.md']);
    const { etag } = await session.open('Tide table.md');
    await session.patch('Tide table.md', [{ op: 'append_body', markdown: 'More.' }], { tool, ifMatch: etag });
    expect(await text('Tide table.md')).toBe('# Tides\n\nSlack water, see [[Harbour]]. #reference\nMore.\n');
    await expect(
      session.patch('Tide table.md', [{ op: 'append_body', markdown: 'Again.' }], { tool, ifMatch: etag }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('moves with its links, and back', async () => {
    const { session, server, text } = await served();
    const before = (await server.notes.stat('Tide table.md'))?.id;
    const moved = await session.move('Tide table.md', 'Sea/Tides.md', { tool });
    expect(await text('Projects/Harbour.md')).toContain('[[Tides]]');
    expect(await text('Board.canvas')).toContain('"file":"Sea/Tides.md"');
    expect((await server.notes.stat('Sea/Tides.md'))?.id).toBe(before);
    await session.undo({ tool, writeId: moved.writeId });
    for (const [path, content] of Object.entries(FILES)) expect(await text(path)).toBe(content);
  });

  it('sets facts: conditional, journaled, searched by, and undone', async () => {
    const { session, server } = await served();
    const { etag } = await session.open('Tide table.md');
    const set = await session.setFacts(
      'Tide table.md',
      { tags: ['sea'], todo: { done: false } },
      { tool, ifMatch: etag },
    );
    expect(set).toMatchObject({ changed: true, facts: { tags: ['sea'], todo: { done: false } } });
    expect((await session.open('Tide table.md')).etag).toBe(set.etag);
    expect((await session.tagNotes('sea', { limit: 5 })).items.map(({ path }) => path)).toEqual([
      'Tide table.md',
    ]);
    await expect(
      session.setFacts('Tide table.md', { tags: null }, { tool, ifMatch: etag }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await session.setFacts('Tide table.md', { tags: ['sea'] }, { tool })).changed).toBe(false);
    expect((await session.history({ limit: 1 })).items[0]).toMatchObject({
      summary: 'set tags, todo of Tide table.md',
    });
    await session.undo({ tool, writeId: set.writeId });
    expect((await server.notes.stat('Tide table.md'))?.facts).toEqual({});
    expect((await session.tagNotes('sea', { limit: 5 })).items).toEqual([]);
  });

  it('hears of what others change on the server, from its feed and not from listings', async () => {
    const { session, server } = await served();
    const seen: VaultChange[] = [];
    const stop = session.watch((changes) => seen.push(...changes));
    await server.notes.create('Elsewhere.md', new TextEncoder().encode('A lighthouse.\n'));
    await expect.poll(() => seen.map(({ path }) => path), { timeout: 10_000 }).toContain('Elsewhere.md');
    stop();
    const found = await session.search({ query: 'lighthouse', mode: 'lexical', filter: {}, limit: 5 });
    expect(found.items.map(({ path }) => path)).toEqual(['Elsewhere.md']);
  });

  it('says that the server is away, changes nothing, and goes on when it is back', async () => {
    const { session, server, text } = await served();
    server.away = true;
    await expect(
      session.patch('Tide table.md', [{ op: 'append_body', markdown: 'x' }], { tool }),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    server.away = false;
    await session.patch('Tide table.md', [{ op: 'append_body', markdown: 'x' }], { tool });
    expect(await text('Tide table.md')).toMatch(/x\n$/);
  });

  it('has no facts to set in a folder', async () => {
    const vault = await openTestVault(FILES);
    await expect(vault.session.setFacts('Tide table.md', { tags: ['x'] }, { tool })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await vault.close();
    discard(vault);
  });
});
