import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../src/catalogues/list.ts';
import { cards } from './catalogues/cards.ts';
import { leaves } from './catalogues/leaves.ts';
import { overPipes } from './catalogues/pipes.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';

/** The real SDK clients, of both generations, with catalogues that speak no more than older revisions. */

const INFO = { name: 'lectern-test', version: '1.0.0' };
const FILES = { 'A.md': 'first\n', 'B.md': 'second\n' };

interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: unknown[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: unknown[] }>;
  readResource(request: { uri: string }): Promise<{ contents: unknown[] }>;
  getServerVersion(): { name: string } | undefined;
}

const CLIENTS: readonly (readonly [string, () => TestClient])[] = [
  ['v2, auto', () => new Client(INFO, { versionNegotiation: { mode: 'auto' } }) as unknown as TestClient],
  ['v2, legacy', () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } }) as unknown as TestClient],
  ['v1', () => new ClientV1(INFO) as unknown as TestClient],
];

const KINDS: readonly (readonly [string, CatalogueEntry, string, string])[] = [
  ['a dispatcher of its own', cards, 'card-box', 'show_cards'],
  ['the whole protocol layer', leaves, 'tree', 'count_leaves'],
];

let door: TestDoor;
let clients = 0;

beforeAll(async () => {
  door = await openTestDoor(FILES, { catalogues: [cards, leaves] });
});
afterAll(() => door.close());

function overHttp({ name }: CatalogueEntry, generation: string) {
  const Transport = generation === 'v1' ? StreamableHTTPClientTransportV1 : StreamableHTTPClientTransport;
  const headers = bearer(door.token(`client ${++clients}`, 'vault:read'));
  return new Transport(new URL(`${door.mcpUrl}/${name}`), { requestInit: { headers } });
}

describe.each(KINDS)('a catalogue with %s', (_kind, entry, server, tool) => {
  describe.each(CLIENTS)('and the SDK client %s', (generation, create) => {
    it.each(['stdio', 'HTTP'])('connects, lists and calls over %s', async (way) => {
      const client = create();
      const transport =
        way === 'stdio' ? await overPipes(entry, door.vault.session) : overHttp(entry, generation);
      await client.connect(transport as never);
      expect(client.getServerVersion()).toMatchObject({ name: server });
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([tool]);
      expect(await client.callTool({ name: tool, arguments: {} })).toMatchObject({
        content: [{ type: 'text' }, ...(tool === 'show_cards' ? [{ type: 'text' }] : [])],
      });
      await client.close();
    });
  });
});

describe.each(CLIENTS)('resources of a catalogue, with the SDK client %s', (generation, create) => {
  it.each(['stdio', 'HTTP'])('are its own and no others over %s', async (way) => {
    const client = create();
    await client.connect(
      (way === 'stdio' ? await overPipes(leaves, door.vault.session) : overHttp(leaves, generation)) as never,
    );
    expect((await client.listResources()).resources).toEqual([
      { uri: 'leaves://all', name: 'all', mimeType: 'text/plain' },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'leaves://leaf/{name}', name: 'leaf', mimeType: 'text/markdown' },
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read('leaves://all')).toMatchObject({ text: 'A.md\nB.md' });
    expect(await read('leaves://leaf/B')).toMatchObject({ text: 'second\n', mimeType: 'text/markdown' });
    await expect(read('leaves://leaf/rotten')).rejects.toMatchObject({
      code: -32_020,
      data: { name: 'rotten' },
    });
    for (const missing of ['leaves://leaf/C', 'leaves://nothing', 'vault://A.md'])
      await expect(read(missing)).rejects.toMatchObject({
        // The newer client calls it by the newest revision's code, whatever it was sent.
        code: generation === 'v1' ? -32_002 : -32_602,
      });
    await client.close();
  });
});
