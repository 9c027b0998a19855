import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../src/catalogues/list.ts';
import { cards } from './catalogues/cards.ts';
import { leaves } from './catalogues/leaves.ts';
import { overPipes } from './catalogues/pipes.ts';
import { SDK_CLIENTS } from './support/sdk-clients.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';

/** The real SDK clients, of both generations, with catalogues that speak no more than older revisions. */

const FILES = { 'A.md': 'first\n', 'B.md': 'second\n' };

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

function overHttp({ name }: CatalogueEntry, Transport: (typeof SDK_CLIENTS)[number][2]) {
  const headers = bearer(door.token(`client ${++clients}`, 'vault:read'));
  return new Transport(new URL(`${door.mcpUrl}/${name}`), { requestInit: { headers } });
}

describe.each(KINDS)('a catalogue with %s', (_kind, entry, server, tool) => {
  describe.each(SDK_CLIENTS)('and the SDK client %s', (_name, create, Transport) => {
    it.each(['stdio', 'HTTP'])('connects, lists and calls over %s', async (way) => {
      const client = create();
      const transport =
        way === 'stdio' ? await overPipes(entry, door.vault.session) : overHttp(entry, Transport);
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

describe.each(SDK_CLIENTS)('resources of a catalogue, with the SDK client %s', (name, create, Transport) => {
  it.each(['stdio', 'HTTP'])('are its own and no others over %s', async (way) => {
    const client = create();
    await client.connect(
      (way === 'stdio' ? await overPipes(leaves, door.vault.session) : overHttp(leaves, Transport)) as never,
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
        code: name === 'v1' ? -32_002 : -32_602,
      });
    await client.close();
  });
});
