import { afterEach, describe, expect, it } from 'vitest';
import { parseInput } from '../src/operations/call/input.ts';
import { runOperation } from '../src/operations/call/run.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
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

  it('writes facts by the operations that change tags, title, todo and times, with journal, history and undo', async () => {
    const { session, server, text } = await served();
    const run = async (name: string, input: Record<string, unknown>) => {
      const operation = OPERATIONS.find((each) => each.name === name);
      if (operation === undefined) throw new Error(`There is no ${name}.`);
      const context = { signal: new AbortController().signal, progress: () => {} };
      return (await runOperation(operation, session, parseInput(operation, input), context)) as Record<
        string,
        unknown
      >;
    };
    const path = 'Tide table.md';
    const facts = async () => (await server.notes.stat(path))?.facts;
    const before = (await session.open(path)).etag;
    const patched = await run('note_patch', {
      path,
      if_match: before,
      ops: [
        { op: 'add_tag', tag: '#sea' },
        { op: 'add_tag', tag: 'reference' },
        { op: 'set_frontmatter', key: 'title', value: 'Tides of the year' },
        { op: 'set_frontmatter', key: 'completed?', value: 'no' },
        { op: 'set_frontmatter', key: 'due', value: '2024-05-01 12:00:00Z' },
        { op: 'set_frontmatter', key: 'created', value: '2020-01-02 03:04:05Z' },
        { op: 'append_body', markdown: 'More.' },
      ],
    });
    const dueMs = Date.UTC(2024, 4, 1, 12);
    expect(await facts()).toEqual({
      tags: ['sea'],
      title: 'Tides of the year',
      todo: { done: false, dueMs },
      createdMs: Date.UTC(2020, 0, 2, 3, 4, 5),
    });
    expect(await text(path)).toBe(`${FILES[path]}More.\n`);
    expect(patched.etag).toBe((await session.open(path)).etag);
    expect(patched.notice).toContain('kept beside the text');
    expect(await run('note_read', { path, include: ['frontmatter', 'tags'] })).toMatchObject({
      title: 'Tides of the year',
      tags: ['reference', 'sea'],
      frontmatter: { tags: ['sea'], 'completed?': 'no', due: '2024-05-01 12:00:00Z' },
    });
    const done = await run('note_patch', {
      path,
      ops: [{ op: 'set_frontmatter', key: 'completed?', value: true }],
    });
    expect(await facts()).toMatchObject({ todo: { done: true, dueMs } });
    expect(await run('note_patch', { path, ops: [{ op: 'add_tag', tag: 'SEA' }] })).toMatchObject({
      changed: false,
    });
    const renamed = await run('tag_rename', { from: 'sea', to: 'water/salt' });
    expect(renamed.notes).toEqual([{ path, tags: 1 }]);
    expect((await session.tagNotes('water', { limit: 5 })).items.map((note) => note.path)).toEqual([path]);
    await run('note_patch', {
      path,
      ops: [
        { op: 'remove_tag', tag: 'water/salt' },
        { op: 'remove_tag', tag: 'reference' },
      ],
    });
    expect([(await facts())?.tags, (await text(path)).includes('#reference')]).toEqual([undefined, false]);
    expect(await run('note_history', { path })).toMatchObject({ total: 4 });
    await run('note_undo', { since: '2000-01-01T00:00:00Z' });
    expect([await facts(), await text(path)]).toEqual([{}, FILES[path]]);
    expect((await session.open(path)).etag).toBe(before);
    await run('note_undo', { write_id: 5 });
    expect(await facts()).toMatchObject({ title: 'Tides of the year', todo: { done: true } });
    expect([patched.write_id, done.write_id]).toEqual([1, 2]);
  });

  it('a new note has facts and text in one write, an etag that holds, and takes properties of its own into the text', async () => {
    const { session, server, text } = await served();
    const made = await session.write(
      'New.md',
      { body: 'text\n', frontmatter: { tags: ['a', '#b c'], colour: 'blue', source: 'https://example.org' } },
      { tool },
    );
    expect(await text('New.md')).toBe('---\ncolour: blue\n---\ntext\n');
    expect((await server.notes.stat('New.md'))?.facts).toEqual({
      tags: ['a', 'b c'],
      sourceUrl: 'https://example.org',
    });
    expect((await session.open('New.md')).etag).toBe(made.etag);
    await session.write('New.md', { body: 'other\n' }, { tool, ifMatch: made.etag });
    expect((await server.notes.stat('New.md'))?.facts?.tags).toEqual(['a', 'b c']);
    const plain = await session.write('Plain.md', { body: 'x\n' }, { tool });
    await session.patch('Plain.md', [{ op: 'append_body', markdown: 'y' }], { tool, ifMatch: plain.etag });
    await session.undo({ tool, writeId: made.writeId }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'conflict' });
    });
  });

  it('a property that the text has is changed there', async () => {
    const { session, server, text } = await served({ 'P.md': '---\ntags: [a]\ntitle: Old\n---\ntext\n' });
    await session.patch(
      'P.md',
      [
        { op: 'add_tag', tag: 'b' },
        { op: 'set_frontmatter', key: 'Title', value: 'New' },
        { op: 'set_frontmatter', key: 'source', value: 'x' },
      ],
      { tool },
    );
    expect(await text('P.md')).toBe('---\ntags: [a, b]\ntitle: New\n---\ntext\n');
    expect((await server.notes.stat('P.md'))?.facts).toEqual({ sourceUrl: 'x' });
  });

  it('says which value a fact cannot have, and changes nothing', async () => {
    const { session, server, text } = await served();
    for (const [key, value] of [
      ['created', 'some day'],
      ['completed?', 'perhaps'],
      ['title', 7],
    ] as const)
      await expect(
        session.patch(
          'Tide table.md',
          [
            { op: 'append_body', markdown: 'x' },
            { op: 'set_frontmatter', key, value },
          ],
          { tool },
        ),
      ).rejects.toMatchObject({ code: 'invalid_input', details: { key } });
    expect((await server.notes.stat('Tide table.md'))?.facts).toEqual({});
    expect(await text('Tide table.md')).toBe(FILES['Tide table.md']);
  });

  it('a dry run tells of facts and sets none; a lost race sets neither text nor facts', async () => {
    const { session, server, text } = await served();
    const ops = [
      { op: 'add_tag', tag: 'sea' },
      { op: 'append_body', markdown: 'x' },
    ] as const;
    expect((await session.patch('Tide table.md', ops, { tool, dryRun: true })).changed).toBe(true);
    expect((await server.notes.stat('Tide table.md'))?.facts).toEqual({});
    const { etag } = await session.open('Tide table.md');
    await server.notes.setFacts?.('Tide table.md', { tags: ['theirs'] }, { expectedEtag: etag });
    await expect(session.patch('Tide table.md', ops, { tool, ifMatch: etag })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await text('Tide table.md')).toBe(FILES['Tide table.md']);
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
