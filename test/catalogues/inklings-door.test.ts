import { afterEach, describe, expect, it } from 'vitest';
import { LecternError } from '../../src/errors.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { Store } from '../../src/stores/store.ts';
import { heldListing, overriding } from '../support/overriding.ts';
import { SDK_CLIENTS } from '../support/sdk-clients.ts';
import { bearer, type TestDoorOptions } from '../support/test-door.ts';
import { type InklingsWire, openInklingsWire } from './inklings-wire.ts';

/** The dialect at its door: real clients, another dialect at the same time, and what goes wrong. */

const open: InklingsWire[] = [];
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.close();
});

async function wireTo(files: Record<string, string>, options?: TestDoorOptions): Promise<InklingsWire> {
  const wire = await openInklingsWire(files, options);
  open.push(wire);
  return wire;
}

describe.each(SDK_CLIENTS)('the SDK client %s', (_generation, create, Transport) => {
  it('connects, lists, calls and reads', async () => {
    const wire = await wireTo({ 'A.md': '[[B]]\n' });
    const headers = bearer(wire.door.token('sdk', 'vault:write', 'catalogue:inklings'));
    const client = create();
    // With a token for it the dialect is at /mcp itself, as its clients have it.
    await client.connect(new Transport(wire.door.mcpUrl, { requestInit: { headers } }) as never);
    expect(client.getServerVersion()).toMatchObject({ name: 'inklings' });
    expect((await client.listTools()).tools).toHaveLength(11);
    expect(await client.callTool({ name: 'create_page', arguments: { title: 'B' } })).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('"slug":"b"') }],
    });
    const { contents } = await client.readResource({ uri: 'inklings://workspace/page/a' });
    expect(contents).toEqual([
      { uri: 'inklings://workspace/page/a', mimeType: 'text/markdown', text: '[[B|b]]\n' },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    await expect(client.callTool({ name: 'read_page', arguments: { slug: 'none' } })).rejects.toMatchObject({
      code: expect.any(Number),
      message: expect.stringContaining('Page not found: none'),
    });
    await client.close();
  });
});

it('another dialect and this one change one note at once: nothing is lost, each is answered in its own words', async () => {
  const wire = await wireTo({ 'A.md': 'start\n' });
  await wire.call('get_page_tree');
  const headers = { ...bearer(wire.door.token('other', 'vault:write')), 'Content-Type': 'application/json' };
  const append = async (id: number) => {
    const params = { name: 'obsidian_append_note', arguments: { path: 'A.md', content: `line ${id}` } };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const response = await fetch(`${wire.door.mcpUrl}/obsidian`, { method: 'POST', headers, body });
    return (await response.json()) as { result?: unknown; error?: { code: number } };
  };
  const rounds = Array.from({ length: 12 }, (_, at) => at);
  const answers = await Promise.all(
    rounds.map(async (at) =>
      at % 2 === 0
        ? await append(at)
        : ((await wire.call('update_page_metadata', { slug: 'a', icon: `i${at}` })) as object),
    ),
  );
  const text = wire.door.vault.file('A.md') ?? '';
  for (const at of rounds.filter((one) => one % 2 === 0))
    expect(text.includes(`line ${at}\n`), `line ${at}`).toBe('result' in (answers[at] ?? {}));
  expect(text).toMatch(/^---\nicon: i\d+\n---\nstart\n(line \d+\n)*$/);
  const { items } = await wire.door.vault.session.history({ path: 'A.md', limit: 50 });
  expect(new Set(items.map(({ tool }) => tool))).toEqual(
    new Set(['obsidian/obsidian_append_note', 'inklings/update_page_metadata']),
  );
});

describe('when something is wrong', () => {
  it('a vault that is away: an internal error, as without a workspace', async () => {
    const away = new LecternError('unavailable', 'The vault cannot be reached.', { next: 'Plug it in.' });
    const wire = await wireTo({}, { door: { vault: () => Promise.reject(away) } });
    for (const [name, given] of [
      ['get_page_tree', {}],
      ['read_page', { slug: 'a' }],
      ['search', { query: 'x' }],
      ['create_page', { title: 'A' }],
    ] as const)
      expect(await wire.call(name, given)).toEqual({
        code: -32_603,
        message: 'The vault cannot be reached.',
        data: { next: 'Plug it in.' },
      });
    expect((await wire.ask('resources/read', { uri: 'inklings://workspace/tree' })).error).toMatchObject({
      code: -32_603,
      message: 'The vault cannot be reached.',
    });
  });

  it('a read-only vault: the tools that write are refused', async () => {
    const operations = OPERATIONS.filter(({ scope }) => scope === 'vault:read');
    const wire = await wireTo(
      { 'A.md': '' },
      {
        door: {
          served: { all: OPERATIONS, offer: { operations }, vaults: [{ name: 'test', readOnly: true }] },
        },
      },
    );
    expect(await wire.call('delete_page', { slug: 'a' })).toMatchObject({ code: -32_600 });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ slug: 'a' });
  });

  it('a fault of the server keeps its words for the log', async () => {
    const wrap = (store: Store): Store =>
      overriding(store, {
        read: async () => {
          throw new TypeError('secret words');
        },
      });
    const wire = await wireTo({ 'A.md': '' }, { vault: { wrap } });
    const answer = await wire.call('read_page', { slug: 'a' });
    expect(answer).toMatchObject({ code: -32_603 });
    expect(JSON.stringify(answer)).not.toContain('secret words');
  });

  it('bodies that are too large or no JSON, and no token', async () => {
    const wire = await wireTo({ 'A.md': '' }, { flags: { bodyLimit: '300' } });
    const call = (content: string) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'update_page_content', arguments: { slug: 'a', content } },
    });
    expect((await wire.post(call('x'.repeat(400_000)))).status).toBe(413);
    expect((await wire.post('{')).status).toBe(400);
    expect((await wire.post(call('x'), {})).status).toBe(401);
    expect((await wire.post(call('x'), { Authorization: `Bearer ${'0'.repeat(64)}` })).status).toBe(401);
    expect(wire.door.vault.files()).toEqual({ 'A.md': '' });
  });

  it('an index that is being built: what is known is answered, and that more may come', async () => {
    const { gate, wrapIndexed } = heldListing();
    const wire = await wireTo({ 'A.md': 'a\n' }, { vault: { wrapIndexed } });
    const { result } = await wire.ask('tools/call', { name: 'get_page_tree' });
    expect(result).toMatchObject({
      content: [
        { type: 'text', text: '[]' },
        { type: 'text', text: expect.stringMatching(/^index: building/) },
      ],
    });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({
      code: -32_002,
      message: 'Page not found: a',
      data: { next: expect.stringContaining('index: building') },
    });
    gate.open();
    await wire.door.vault.vault.indexed();
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ content: 'a\n' });
  });
});
