import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { VaultSession } from '../src/vault/session.ts';
import { openMemoryStore } from './doubles/memory-store.ts';
import { type NoteServer, startNoteServer } from './stores/note-server.ts';
import { openRemoteStore } from './stores/remote-store.ts';
import { ACTOR, discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** Links by id, `:/32hex`: ids that the store has, and ids that notes in a folder state of themselves. */

const open: { server?: NoteServer; vault: TestVault }[] = [];
afterEach(async () => {
  for (const { server, vault } of open.splice(0)) {
    await vault.close();
    discard(vault);
    await server?.close();
  }
});

const tool = 'test';
const [A, B] = ['a', 'b'].map((digit) => digit.repeat(32)) as [string, string];

async function inFolder(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push({ vault });
  return vault;
}

const targets = async (session: VaultSession, path: string) =>
  (await session.forward(path, { limit: 50 })).items.map(
    ({ target, written, subpath, embed, ambiguous }) => ({
      target,
      written: written + subpath,
      embed,
      ...(ambiguous && { ambiguous }),
    }),
  );
const sources = async (session: VaultSession, path: string) =>
  (await session.backlinks(path, { limit: 50 })).items.map(({ source }) => source).sort();
const unresolved = async (session: VaultSession) =>
  (await session.unresolved({ limit: 50 })).items.map(({ written, count }) => [written, count]);
const orphans = async (session: VaultSession) =>
  (await session.orphans({ limit: 50 })).items.map(({ path }) => path);

const FILES = {
  'Log/A.md': `---\nid: ${A}\n---\n# A\n\n## Plan\n`,
  'B.md': `---\nid: ${B}\n---\n![shown](:/${A})\n`,
  'C.md': `[a](:/${A}) [plan](:/${A.toUpperCase()}#Plan) <img src=":/${B}"> [gone](:/${'c'.repeat(32)})\n`,
  'Alone.md': 'nothing\n',
};

describe('in a folder, by what front matter states', () => {
  it('they lead forward and back, are told when they lead nowhere, and keep notes from being orphans', async () => {
    const { session } = await inFolder(FILES);
    expect(await targets(session, 'C.md')).toEqual([
      { target: 'Log/A.md', written: `:/${A}`, embed: false },
      { target: 'Log/A.md', written: `:/${A.toUpperCase()}#Plan`, embed: false },
      { target: 'B.md', written: `:/${B}`, embed: true },
      { target: undefined, written: `:/${'c'.repeat(32)}`, embed: false },
    ]);
    expect(await sources(session, 'Log/A.md')).toEqual(['B.md', 'C.md', 'C.md']);
    expect(await unresolved(session)).toEqual([[`:/${'c'.repeat(32)}`, 1]]);
    expect(await orphans(session)).toEqual(['Alone.md']);
  });

  it('no move writes them anew, and they lead to the note in its new place', async () => {
    const { session, files } = await inFolder(FILES);
    const moved = await session.move('Log/A.md', 'Elsewhere/New.md', { tool });
    expect([moved.links, moved.notices]).toEqual([0, []]);
    expect(files()).toEqual({
      'Elsewhere/New.md': FILES['Log/A.md'],
      'B.md': FILES['B.md'],
      'C.md': FILES['C.md'],
      'Alone.md': FILES['Alone.md'],
    });
    expect(await sources(session, 'Elsewhere/New.md')).toEqual(['B.md', 'C.md', 'C.md']);
    await session.move('C.md', 'Deep/er/C.md', { tool });
    expect(files()['Deep/er/C.md']).toBe(FILES['C.md']);
    expect((await targets(session, 'Deep/er/C.md'))[0]).toMatchObject({ target: 'Elsewhere/New.md' });
  });

  it('follow a heading that gets another name', async () => {
    const { session, file } = await inFolder(FILES);
    await session.patch('Log/A.md', [{ op: 'rename_heading', from: 'Plan', to: 'Scheme' }], { tool });
    expect(file('C.md')).toBe(FILES['C.md'].replace('#Plan', '#Scheme'));
  });

  it('follow an id that comes, goes and changes', async () => {
    const { session } = await inFolder({ 'N.md': 'text\n', 'L.md': `[n](:/${A})\n` });
    expect(await sources(session, 'N.md')).toEqual([]);
    await session.patch('N.md', [{ op: 'set_frontmatter', key: 'id', value: A }], { tool });
    expect([await sources(session, 'N.md'), await unresolved(session)]).toEqual([['L.md'], []]);
    await session.patch('N.md', [{ op: 'set_frontmatter', key: 'id', value: B }], { tool });
    expect([await sources(session, 'N.md'), await unresolved(session)]).toEqual([[], [[`:/${A}`, 1]]]);
  });

  it('of an id that several notes state they lead to none, and say so, until one is left', async () => {
    const copy = { 'Copy.md': `---\nid: ${A}\n---\ncopied\n` };
    const vault = await inFolder({ ...FILES, ...copy });
    const { session, folder } = vault;
    expect((await targets(session, 'C.md'))[0]).toEqual({
      target: undefined,
      written: `:/${A}`,
      embed: false,
      ambiguous: true,
    });
    expect([await sources(session, 'Log/A.md'), await sources(session, 'Copy.md')]).toEqual([[], []]);
    expect(await unresolved(session)).toContainEqual([`:/${A}`, 3]);
    await session.move('Copy.md', 'Moved.md', { tool });
    expect(vault.file('C.md')).toBe(FILES['C.md']);
    rmSync(join(folder, 'Moved.md'));
    await session.patch('Alone.md', [{ op: 'append_body', markdown: 'x' }], { tool });
    await expect.poll(() => sources(session, 'Log/A.md')).toEqual(['B.md', 'C.md', 'C.md']);
    writeFileSync(join(folder, 'Again.md'), copy['Copy.md']);
    await expect.poll(() => sources(session, 'Log/A.md')).toEqual([]);
  });

  it('a copy that a caller does not see makes no id doubtful for them, nor shows itself', async () => {
    const { vault } = await inFolder({
      ...FILES,
      'hidden/Copy.md': `---\nid: ${A}\n---\n`,
      'hidden/L.md': `[b](:/${B})\n`,
    });
    const rules = {
      readOnly: false,
      read: { allow: [], deny: ['hidden'] },
      write: { allow: [], deny: [] },
    };
    const session = vault.session(ACTOR, [rules]);
    expect((await targets(session, 'C.md'))[0]).toEqual({
      target: 'Log/A.md',
      written: `:/${A}`,
      embed: false,
    });
    expect(await sources(session, 'Log/A.md')).toEqual(['B.md', 'C.md', 'C.md']);
    expect(await sources(session, 'B.md')).toEqual(['C.md']);
    expect(await unresolved(session)).toEqual([[`:/${'c'.repeat(32)}`, 1]]);
    expect(await orphans(session)).toEqual(['Alone.md']);
  });
});

describe('on a store that has ids', () => {
  async function served() {
    const server = await startNoteServer({
      'Log/A.md': `---\nid: ${A}\n---\n# A\n`,
      'picture.png': 'png',
    });
    const idOf = async (path: string) => (await server.notes.stat(path))?.id ?? '';
    const links = `[a](:/${await idOf('Log/A.md')}) [not](:/${A})\n`;
    await server.notes.create('L.md', new TextEncoder().encode(links));
    const vault = await openTestVault({}, { stores: async () => openRemoteStore(server.url) });
    open.push({ server, vault });
    return { server, session: vault.session, links };
  }

  it('they lead by the store’s ids, whatever front matter states, and through a move', async () => {
    const { server, session, links } = await served();
    expect((await targets(session, 'L.md')).map(({ target }) => target)).toEqual(['Log/A.md', undefined]);
    await session.move('Log/A.md', 'Z.md', { tool });
    expect(new TextDecoder().decode((await server.notes.read('L.md')).bytes)).toBe(links);
    expect(await sources(session, 'Z.md')).toEqual(['L.md']);
  });
});

it('an attachment that the store knows by an id is reached by it', async () => {
  const store = openMemoryStore({ files: { 'p.png': 'png', 'n.md': `![p](:/${A}) <img src=":/${A}">\n` } });
  const withIds = Object.create(store, {
    list: {
      value: async (...given: Parameters<typeof store.list>) => {
        const { entries, problems } = await store.list(...given);
        return {
          entries: entries.map((entry) => (entry.path === 'p.png' ? { ...entry, id: A } : entry)),
          problems,
        };
      },
    },
  });
  const vault = await openTestVault({}, { stores: async () => withIds });
  open.push({ vault });
  expect(await sources(vault.session, 'p.png')).toEqual(['n.md', 'n.md']);
});
