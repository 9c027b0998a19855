import { afterEach, describe, expect, it } from 'vitest';
import { LecternError } from '../../src/errors.ts';
import { heldListing, overriding } from '../support/overriding.ts';
import { SDK_CLIENTS } from '../support/sdk-clients.ts';
import { bearer } from '../support/test-door.ts';
import { type JoplinWire, openJoplinWire, type Payload } from './joplin-wire.ts';

/** The dialect at its door: real clients, another dialect at the same time, and what goes wrong. */

const open: JoplinWire[] = [];
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.close();
});

async function wireTo(
  files: Record<string, string>,
  options?: Parameters<typeof openJoplinWire>[1],
): Promise<JoplinWire> {
  const wire = await openJoplinWire(files, options);
  open.push(wire);
  return wire;
}

describe.each(SDK_CLIENTS)('the SDK client %s', (_generation, create, Transport) => {
  it.each(['in the URL', 'in the header'])('connects with the token %s, lists and calls', async (where) => {
    const wire = await wireTo({ 'Work/Plan.md': 'One.\n' });
    const url = new URL(wire.url);
    const token = url.searchParams.get('token') ?? '';
    const headers = where === 'in the header' ? bearer(token) : {};
    if (where === 'in the header') url.search = '';
    const client = create();
    await client.connect(new Transport(url, { requestInit: { headers } }) as never);
    expect(client.getServerVersion()).toMatchObject({ name: 'joplin-mcp', version: '1.0.0' });
    expect((await client.listTools()).tools).toHaveLength(10);
    const found = await client.callTool({ name: 'search_notes', arguments: { query: 'one' } });
    expect(found).toMatchObject({ content: [{ text: expect.stringContaining('"title": "Plan"') }] });
    expect(await client.callTool({ name: 'read_note', arguments: { id: 'x' } })).toMatchObject({
      isError: true,
      content: [{ text: 'Note not found: x' }],
    });
    await client.close();
  });
});

it('another dialect and this one change one note at once: nothing is lost, each is answered in its own words', async () => {
  const wire = await wireTo({ 'Work/A.md': 'start\n' });
  const { results } = await wire.call('search_notes', { query: 'start' });
  const [{ id }] = results;
  const headers = { ...bearer(wire.door.token('other', 'vault:write')), 'Content-Type': 'application/json' };
  const append = async (at: number) => {
    const params = {
      name: 'obsidian_append_note',
      arguments: { path: 'Work/A.md', content: `theirs ${at}` },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: at, method: 'tools/call', params });
    const response = await fetch(`${wire.door.mcpUrl}/obsidian`, { method: 'POST', headers, body });
    return 'result' in ((await response.json()) as object);
  };
  const own = async (at: number) =>
    wire.call('update_note', { id, append: `ours ${at}\n` }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe('The note was changed meanwhile; nothing was written. Read it again.');
        return false;
      },
    );
  const rounds = Array.from({ length: 12 }, (_, at) => at);
  const done = await Promise.all(rounds.map((at) => (at % 2 === 0 ? append(at) : own(at))));
  const text = wire.door.vault.file('Work/A.md') ?? '';
  for (const at of rounds)
    expect(text.split(at % 2 === 0 ? `theirs ${at}` : `ours ${at}\n`).length - 1, `${at}`).toBe(
      done[at] ? 1 : 0,
    );
  expect(done.filter(Boolean).length).toBeGreaterThan(6);
  const { items } = await wire.door.vault.session.history({ path: 'Work/A.md', limit: 50 });
  expect(new Set(items.map(({ tool }) => tool))).toEqual(
    new Set(['obsidian/obsidian_append_note', 'joplin/update_note']),
  );
});

describe('when something is wrong', () => {
  it('a vault that is away is told to the model', async () => {
    const away = new LecternError('unavailable', 'The vault cannot be reached.', { next: 'Plug it in.' });
    const wire = await wireTo({}, { door: { vault: () => Promise.reject(away) } });
    for (const [name, given] of [
      ['list_notebooks', {}],
      ['read_note', { id: 'a' }],
      ['search_notes', { query: 'x' }],
      ['create_note', { title: 'A' }],
    ] as const)
      expect(await wire.refused(name, given)).toBe('The vault cannot be reached. Plug it in.');
    // What is wrong with the call itself is said all the same.
    expect(await wire.refused('search_notes', {})).toBe('Missing "query" parameter');
    expect(await wire.ask('ping')).toMatchObject({ result: {} });
  });

  it('while the index is being built, lists say that something may be missing', async () => {
    const { gate, wrapIndexed } = heldListing();
    const wire = await wireTo({ 'Work/A.md': 'text\n' }, { vault: { wrapIndexed } });
    const notice = expect.stringMatching(/^index: building/);
    expect(await wire.call('list_notebooks')).toEqual({ notebooks: [], notice });
    expect(await wire.call('search_notes', { query: 'text' })).toEqual({ results: [], total: 0, notice });
    gate.open();
    await wire.door.vault.vault.indexed();
    expect(await wire.call('search_notes', { query: 'text' })).toMatchObject({ total: 1 });
  });

  it('a fault of the server is −32603, its words for the log', async () => {
    const wire = await wireTo(
      { 'Work/A.md': '' },
      {
        vault: {
          wrap: (store) =>
            overriding(store, {
              read: async () => {
                throw new TypeError('secret words');
              },
            }),
        },
      },
    );
    const { notebooks } = await wire.call('list_notebooks');
    expect(notebooks).toHaveLength(1);
    const [id] = (
      await wire.door.vault.session
        .ids({ name: 'joplin', reusable: false, make: () => 'f'.repeat(32) })
        .of(['Work/A.md'])
    ).values();
    const answer = await wire.ask('tools/call', { name: 'read_note', arguments: { id } });
    expect(answer).toMatchObject({ error: { code: -32_603 } });
    expect(JSON.stringify(answer)).not.toContain('secret words');
    expect(wire.door.logged()).toContain('tool failed unexpectedly');
  });

  it('the dialect is off: 403, before anything of the body is looked at', async () => {
    const { door } = await wireTo({});
    const off = await wireTo(
      {},
      {
        door: {
          catalogues: {
            all: (await import('../../src/catalogues/list.ts')).CATALOGUES,
            main: 'indx',
            isOn: (name: string) => name !== 'joplin',
          },
        },
      },
    );
    const response = await off.post('{nope');
    expect([response.status, await response.json()]).toEqual([403, { error: 'MCP server is disabled' }]);
    expect(door).toBeDefined();
  });

  it('arguments that no tool expects change nothing', async () => {
    const files = { 'Work/A.md': 'text\n' };
    const wire = await wireTo(files);
    const tools = [
      'search_notes',
      'semantic_search_notes',
      'read_note',
      'create_note',
      'update_note',
      'delete_note',
      'manage_tags',
      'create_notebook',
    ];
    for (const name of tools)
      for (const given of [
        undefined,
        null,
        7,
        'x',
        [],
        [{ id: 'x' }],
        { id: null },
        { id: {}, query: 7, title: [], note_id: true },
      ]) {
        const text = await wire.refused(name, given);
        expect(text, `${name} ${JSON.stringify(given)}`).toMatch(/^Missing (or invalid )?"\w+" parameter$/);
      }
    const long = 'x'.repeat(100_000);
    expect(await wire.refused('search_notes', { query: long })).toMatch(/have more than 100000 characters/);
    expect(await wire.refused('search_notes', { query: 'x'.repeat(5000) })).toMatch(
      /^Invalid search query: A query has at most 4000 characters/,
    );
    expect(await wire.refused('read_note', { id: long })).toBe(`Note not found: ${'x'.repeat(200)}`);
    expect(wire.door.vault.files()).toEqual(files);
    expect(((await wire.call('list_notebooks', { extra: [1, 2] })) as Payload).notebooks).toHaveLength(1);
  });
});
