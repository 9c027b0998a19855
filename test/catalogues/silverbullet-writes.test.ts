import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silverbulletCatalogue } from '../../src/catalogues/silverbullet/catalogue.ts';
import { NAMES } from '../../src/catalogues/silverbullet/names.ts';
import { LecternError } from '../../src/errors.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Store } from '../../src/stores/store.ts';
import { heldListing, overriding } from '../support/overriding.ts';
import { bearer, callTool } from '../support/test-door.ts';
import { openSilverbulletWire, postMcp, type SilverbulletClient } from './silverbullet-wire.ts';

/** Versions that are hard to tell apart, writers at the same time, rules, and what goes wrong. */

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function wireForTest(...options: Parameters<typeof openSilverbulletWire>) {
  const wire = await openSilverbulletWire(...options);
  onTestFinished(() => wire.close());
  return wire;
}

const READ_WRITE = ['vault:read', 'vault:write'];

async function readVersion(client: SilverbulletClient, page: string): Promise<number> {
  return (await client.facts('read_page', { page })).lastModified as number;
}

describe('a version', () => {
  it('is not that of other bytes with the same time', async () => {
    const wire = await wireForTest({ 'A.md': 'read by a client\n' });
    const { client } = wire;
    const path = join(wire.door.vault.folder, 'A.md');
    const { atime, mtime } = statSync(path);
    const version = await readVersion(client, 'A');
    writeFileSync(path, 'saved by an editor\n');
    utimesSync(path, atime, mtime);
    const old = { page: 'A', body: 'mine\n', expected_last_modified: version };
    expect(await client.facts('write_page', old)).toMatchObject({ error: 'conflict' });
    expect(wire.door.vault.file('A.md')).toBe('saved by an editor\n');
    const next = await readVersion(client, 'A');
    expect(next).not.toBe(version);
    expect(await client.facts('write_page', { ...old, expected_last_modified: next })).toMatchObject({
      written: true,
    });
  });

  it('of a whole second is one only for who has read the page', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n' });
    const { client } = wire;
    utimesSync(join(wire.door.vault.folder, 'A.md'), 1_700_000_000, 1_700_000_000);
    const given = { page: 'A', body: 'b\n', expected_last_modified: 1_700_000_000_000 };
    expect(await client.facts('write_page', given)).toMatchObject({ error: 'conflict' });
    expect(await readVersion(client, 'A')).toBe(1_700_000_000_000);
    expect(await client.facts('write_page', given)).toMatchObject({ written: true });
  });

  it('holds for another client, and after writes that changed nothing', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n' });
    const other = await wire.connect(...READ_WRITE);
    const version = await readVersion(wire.client, 'A');
    const given = { page: 'A', body: 'a\n', expected_last_modified: version };
    expect(await other.facts('write_page', given)).toEqual({
      written: true,
      path: 'A.md',
      lastModified: version,
    });
    expect(await wire.client.facts('write_page', { ...given, body: 'b\n' })).toMatchObject({ written: true });
  });

  it('is not that of the same bytes saved anew, or of a page put in its place', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n', 'B.md': 'a\n' });
    const { client } = wire;
    const version = await readVersion(client, 'A');
    utimesSync(join(wire.door.vault.folder, 'A.md'), 1_700_000_000.5, 1_700_000_000.5);
    const given = { page: 'A', body: 'b\n', expected_last_modified: version };
    expect(await client.facts('write_page', given)).toMatchObject({ error: 'conflict' });
    const again = await readVersion(client, 'A');
    await client.call('delete_page', { page: 'A' });
    await client.call('move_page', { from: 'B', to: 'A' });
    expect(await client.facts('write_page', { ...given, expected_last_modified: again })).toMatchObject({
      error: 'conflict',
    });
    expect(wire.door.vault.file('A.md')).toBe('a\n');
  });
});

describe('writers at the same time', () => {
  it('who add all do', async () => {
    const wire = await wireForTest({ 'A.md': '---\nk: v\n---\nbody\n' });
    const clients = [wire.client, await wire.connect(...READ_WRITE), await wire.connect(...READ_WRITE)];
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}.`);
    await Promise.all(
      lines.map((content, at) =>
        clients[at % 3]?.call(at % 2 === 0 ? 'append_to_page' : 'prepend_to_page', { page: 'A', content }),
      ),
    );
    const text = wire.door.vault.file('A.md') ?? '';
    expect(text.startsWith('---\nk: v\n---\n\n')).toBe(true);
    for (const line of lines) expect(text.split(line)).toHaveLength(2);
    expect(text.split('body\n')).toHaveLength(2);
  });

  it('who overwrite the same version: one does, the others are told', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n' });
    const other = await wire.connect(...READ_WRITE);
    const version = await readVersion(wire.client, 'A');
    const answers = await Promise.all(
      [wire.client, other, wire.client, other].map((client, at) =>
        client.facts('write_page', { page: 'A', body: `${at}\n`, expected_last_modified: version }),
      ),
    );
    const written = answers.flatMap((answer, at) => (answer.written === true ? [at] : []));
    expect(written).toHaveLength(1);
    expect(wire.door.vault.file('A.md')).toBe(`${written[0]}\n`);
    for (const answer of answers)
      if (answer.written !== true)
        expect(answer).toMatchObject({ error: 'conflict', status: 409, expectedLastModified: version });
  });

  it('who create the same page: one does', async () => {
    const wire = await wireForTest({});
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => wire.client.facts('create_page', { page: 'A', body: `${at}` })),
    );
    expect(answers.filter(({ created }) => created === true)).toHaveLength(1);
    expect(answers.filter(({ error }) => error === 'already_exists')).toHaveLength(4);
  });

  it('in two dialects: nothing is lost, each is told in its own words, one history names both', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n' });
    const token = wire.door.token('native', ...READ_WRITE);
    const version = await readVersion(wire.client, 'A');
    const { result } = await callTool(wire.door, token, 'note_read', { path: 'A.md' });
    const etag = result?.structuredContent.etag;
    const append = (markdown: string) => ({ path: 'A.md', ops: [{ op: 'append_body', markdown }] });
    await Promise.all([
      wire.client.call('append_to_page', { page: 'A', content: 'from SilverBullet' }),
      callTool(wire.door, token, 'note_patch', append('from Lectern')),
      wire.client.call('append_to_page', { page: 'A', content: 'once more' }),
    ]);
    for (const line of ['a\n', 'from SilverBullet', 'from Lectern', 'once more'])
      expect(wire.door.vault.file('A.md')).toContain(line);
    const theirs = await wire.client.facts('write_page', {
      page: 'A',
      body: 'x',
      expected_last_modified: version,
    });
    expect(theirs).toMatchObject({ error: 'conflict', status: 409 });
    const ours = await callTool(wire.door, token, 'note_write', { path: 'A.md', body: 'x', if_match: etag });
    expect(ours.result).toMatchObject({ isError: true, structuredContent: { code: 'conflict' } });
    const history = await callTool(wire.door, token, 'note_history', { path: 'A.md' });
    const writes = history.result?.structuredContent.writes as { tool: string; actor: string }[];
    expect(writes.map(({ tool, actor }) => `${actor} ${tool}`).sort()).toEqual([
      'client 1 silverbullet/append_to_page',
      'client 1 silverbullet/append_to_page',
      'native note_patch',
    ]);
  });

  it('an editor that saves in the middle of a write is not overwritten', async () => {
    let save: (() => void) | undefined;
    const wrap = (store: Store): Store =>
      overriding(store, {
        replace: async (...given) => {
          save?.();
          save = undefined;
          return await store.replace(...given);
        },
      });
    const wire = await wireForTest({ 'A.md': 'a\n' }, { vault: { wrap } });
    const path = join(wire.door.vault.folder, 'A.md');
    const version = await readVersion(wire.client, 'A');
    save = () => writeFileSync(path, 'the editor’s\n');
    const given = { page: 'A', body: 'mine\n', expected_last_modified: version };
    expect(await wire.client.facts('write_page', given)).toMatchObject({ error: 'conflict' });
    save = () => writeFileSync(path, 'the editor’s again\n');
    await wire.client.call('append_to_page', { page: 'A', content: 'added' });
    expect(wire.door.vault.file('A.md')).toBe('the editor’s again\n\nadded');
  });
});

it('every write can be taken back, by the name of its tool', async () => {
  const files = { 'A.md': '---\nk: v\n---\na\n', 'B.md': '[[A]]\n' };
  const wire = await wireForTest(files);
  const { client } = wire;
  await client.call('append_to_page', { page: 'A', content: 'x' });
  const version = await readVersion(client, 'A');
  await client.call('write_page', { page: 'A', body: 'all new', expected_last_modified: version });
  await client.call('create_page', { page: 'C', body: 'c' });
  await client.call('move_page', { from: 'A', to: 'sub/A' });
  await client.call('delete_page', { page: 'sub/A' });
  const token = wire.door.token('owner', ...READ_WRITE);
  const history = await callTool(wire.door, token, 'note_history', {});
  const writes = history.result?.structuredContent.writes as { tool: string; write_id: number }[];
  expect(writes.map(({ tool }) => tool)).toEqual(
    ['delete_page', 'move_page', 'create_page', 'write_page', 'append_to_page'].map(
      (tool) => `silverbullet/${tool}`,
    ),
  );
  for (const { write_id } of writes) await callTool(wire.door, token, 'note_undo', { write_id });
  expect(wire.door.vault.files()).toEqual(files);
});

describe('rules of the owner', () => {
  const rules = (read: string[], write: string[]) => ({
    readOnly: false,
    read: { allow: [], deny: read },
    write: { allow: write, deny: [] },
  });

  it('a list of folders that may be written', async () => {
    const wire = await wireForTest(
      { 'Projects/A.md': 'a\n', 'B.md': 'b\n' },
      { vault: { rules: rules([], ['Projects/**', '_trash/**']) } },
    );
    const { client } = wire;
    const refused = { error: 'forbidden_path', status: 403, path: 'B.md' };
    expect(await client.facts('append_to_page', { page: 'B', content: 'x' })).toMatchObject(refused);
    expect(await client.facts('delete_page', { page: 'B' })).toMatchObject(refused);
    expect(await client.facts('move_page', { from: 'Projects/A', to: 'A' })).toMatchObject({
      error: 'forbidden_path',
      path: 'A.md',
    });
    expect(await client.facts('create_page', { page: 'C', body: '' })).toMatchObject({
      error: 'forbidden_path',
    });
    expect(await client.facts('append_to_page', { page: 'Projects/A', content: 'x' })).toMatchObject({
      bytesAdded: 1,
    });
    expect(await client.facts('delete_page', { page: 'Projects/A' })).toMatchObject({ deleted: true });
  });

  it('without the trash nothing is deleted', async () => {
    for (const own of [rules([], ['Projects/**']), rules(['_trash/**'], [])]) {
      const wire = await wireForTest({ 'Projects/A.md': 'a\n' }, { vault: { rules: own } });
      expect(await wire.client.facts('delete_page', { page: 'Projects/A' })).toMatchObject({
        error: 'forbidden_path',
        status: 403,
        path: expect.stringMatching(/^_trash\//),
      });
      expect(wire.door.vault.file('Projects/A.md')).toBe('a\n');
    }
  });

  it('hidden pages are as if they were not there', async () => {
    const wire = await wireForTest(
      { 'A.md': 'keel\n', 'Private/B.md': 'keel\n' },
      { vault: { rules: rules(['Private/**'], []) } },
    );
    const { client } = wire;
    expect(await client.facts('list_pages')).toMatchObject({ count: 1 });
    expect(await client.facts('search_pages', { query: 'eel' })).toMatchObject({ count: 1 });
    const answers = await Promise.all(
      ['Private/B', 'Private/C'].map((page) => client.facts('read_page', { page })),
    );
    expect(answers[0]).toEqual({
      ...answers[1],
      message: 'Not found: Private/B.md',
      path: 'Private/B.md',
    });
  });

  it('reading alone', async () => {
    const operations = OPERATIONS.filter(({ scope }) => scope === 'vault:read');
    const wire = await wireForTest(
      { 'A.md': 'a\n' },
      {
        door: {
          served: { all: OPERATIONS, offer: { operations }, vaults: [{ name: 'test', readOnly: true }] },
        },
      },
    );
    const { tools } = (await wire.client.ask('tools/list')).message.result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['list_pages', 'read_page', 'search_pages']);
    expect(await wire.client.call('create_page', { page: 'B', body: '' })).toEqual({
      content: [{ type: 'text', text: 'MCP error -32602: Tool create_page disabled' }],
      isError: true,
    });
    expect([...NAMES]).toEqual(silverbulletCatalogue.tools.map(({ name }) => name));
  });
});

describe('when something is wrong', () => {
  it('a vault that is away', async () => {
    const away = new LecternError('unavailable', 'The vault cannot be reached.', { next: 'Plug it in.' });
    const wire = await wireForTest(
      {},
      {
        door: {
          vault: async () => {
            throw away;
          },
        },
      },
    );
    for (const [name, given] of [
      ['list_pages', {}],
      ['read_page', { page: 'A' }],
      ['create_page', { page: 'A', body: '' }],
    ] as const)
      expect(await wire.client.facts(name, given)).toEqual({
        error: 'upstream',
        status: 503,
        message: 'The vault cannot be reached.',
        transient: true,
        remediation: expect.stringContaining('Plug it in.'),
      });
  });

  it('a fault of the server keeps its words for the log', async () => {
    const wrap = (store: Store): Store =>
      overriding(store, {
        read: async () => {
          throw new TypeError('secret words');
        },
      });
    const wire = await wireForTest({ 'A.md': 'a\n' }, { vault: { wrap } });
    const { client } = wire;
    const answer = await client.call('read_page', { page: 'A' });
    expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual({
      error: 'internal',
      status: 500,
      message: expect.any(String),
      tool: 'read_page',
      page: 'A',
      remediation: expect.any(String),
    });
    expect(JSON.stringify(answer)).not.toContain('secret words');
    expect(wire.door.logged()).toContain('tool failed unexpectedly');
  });

  it('bodies that are too large, other revisions, batches', async () => {
    const wire = await wireForTest({ 'A.md': 'a\n' }, { flags: { bodyLimit: '300' } });
    const token = bearer(wire.door.token('raw', ...READ_WRITE));
    const large = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'x'.repeat(400_000) } };
    expect((await postMcp(wire.url, large, token)).status).toBe(413);
    const initialize = (protocolVersion: string) =>
      postMcp(
        wire.url,
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        },
        token,
      );
    for (const [asked, given] of [
      ['2025-11-25', '2025-11-25'],
      ['2024-11-05', '2024-11-05'],
      ['1999-01-01', '2025-11-25'],
      ['2026-07-28', '2025-11-25'],
    ] as const)
      expect((await initialize(asked)).message.result, asked).toMatchObject({ protocolVersion: given });
  });
});

it('an index that is being built: pages can be read, lists say that something may be missing', async () => {
  const { gate, wrapIndexed } = heldListing();
  const wire = await wireForTest({ 'A.md': 'keel\n' }, { vault: { wrapIndexed } });
  const { client } = wire;
  expect((await client.call('read_page', { page: 'A' })).content[1]?.text).toBe('keel\n');
  const version = await readVersion(client, 'A');
  const given = { page: 'A', body: 'keels\n', expected_last_modified: version };
  expect(await client.facts('write_page', given)).toMatchObject({ written: true });
  const listed = await client.facts('list_pages');
  expect(listed.notice).toMatch(/^index: building/);
  gate.open();
  await wire.door.vault.vault.indexed();
  expect(await client.facts('search_pages', { query: 'eels' })).toMatchObject({ count: 1 });
});
