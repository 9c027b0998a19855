import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** Resources, subscriptions and prompts as the real SDK clients see them, against the built binary. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const INFO = { name: 'lectern-test', version: '1.0.0' };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-resources-'));
  mkdirSync(join(folder, 'vault/Projects'), { recursive: true });
  writeFileSync(join(folder, 'vault/Projects/My harbour.md'), '# Harbour\n\nThe crane. #work\n');
  writeFileSync(join(folder, 'vault/pic.png'), Buffer.from([1, 2, 3]));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the tests ask of a client, whichever SDK it comes from. */
interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listResources(): Promise<{ resources: { uri: string; name: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(request: { uri: string }): Promise<{ contents: object[] }>;
  complete(request: object): Promise<{ completion: { values: string[] } }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(request: { name: string; arguments?: object }): Promise<{ messages: { content: object }[] }>;
}

type Watch = (client: never, uri: string, told: (uri: string) => void) => Promise<unknown>;

const bySubscribe: Watch = async (client: Client, uri, told) => {
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => told(params.uri));
  await client.subscribeResource({ uri });
};

const byListen: Watch = async (client: Client, uri, told) => {
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => told(params.uri));
  await client.listen({ resourceSubscriptions: [uri] });
};

const bySubscribeV1: Watch = async (client: ClientV1, uri, told) => {
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told(params.uri));
  await client.subscribeResource({ uri });
};

const CLIENTS: readonly [
  string,
  () => unknown,
  typeof StdioClientTransport | typeof StdioClientTransportV1,
  Watch,
][] = [
  [
    'v2, pinned to 2026-07-28',
    () => new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    StdioClientTransport,
    byListen,
  ],
  [
    'v2, legacy',
    () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } }),
    StdioClientTransport,
    bySubscribe,
  ],
  ['v1', () => new ClientV1(INFO), StdioClientTransportV1, bySubscribeV1],
];

describe.each(CLIENTS)('SDK client %s', (name, create, Transport, watch) => {
  let client: TestClient;

  beforeAll(async () => {
    client = create() as TestClient;
    const transport = new Transport({
      command: process.execPath,
      args: [
        LECTERN,
        'mcp',
        'serve',
        '--stdio',
        '--vault',
        join(folder, 'vault'),
        '--state',
        join(folder, 'state'),
      ],
    });
    await client.connect(transport as never);
    await vi.waitFor(
      async () => expect((await client.listResources()).resources.length).toBeGreaterThan(3),
      20_000,
    );
  });

  afterAll(() => client.close());

  it('browses and reads', async () => {
    const { resources } = await client.listResources();
    const note = resources.find((resource) => resource.name === 'Projects/My harbour.md');
    expect(note?.uri).toBe('vault://Projects/My%20harbour.md');
    const { contents } = await client.readResource({ uri: note?.uri ?? '' });
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: '# Harbour\n\nThe crane. #work\n' }]);
    expect((await client.readResource({ uri: 'vault://pic.png' })).contents).toMatchObject([
      { blob: 'AQID' },
    ]);
    // The newer client reads -32002, which is the code before 2026-07-28, as the newest revision's.
    await expect(client.readResource({ uri: 'vault://Nowhere.md' })).rejects.toMatchObject({
      code: name === 'v1' ? -32002 : -32602,
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    const ref = { type: 'ref/resource', uri: resourceTemplates[0]?.uriTemplate };
    const { completion } = await client.complete({ ref, argument: { name: 'path', value: 'Proj' } });
    expect(completion.values).toContain('Projects/My harbour.md');
  });

  it('hears of a change below a folder', async () => {
    const told: string[] = [];
    await watch(client as never, 'vault://Projects/**', (uri) => void told.push(uri));
    writeFileSync(join(folder, `vault/Projects/${name.length}.md`), 'new\n');
    await expect.poll(() => told, { timeout: 10_000 }).toEqual([`vault://Projects/${name.length}.md`]);
  });

  it('is given prompts', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.name)).toContain('weekly_review');
    const { messages } = await client.getPrompt({ name: 'vault_summary' });
    expect(JSON.stringify(messages[0]?.content)).toContain('#work 1');
  });
});
