import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDoor, type TestDoor } from './support/test-door.ts';

/** The real SDK clients, of both generations and in both eras, over HTTP with a token. */

const INFO = { name: 'lectern-test', version: '1.0.0' };

const NOTES = {
  'Projects/Harbour.md': '# Harbour\n\nThe crane waits for [[Tide table]].\n',
  'Tide table.md': '# Tides\n\nSlack water at noon. #reference\n',
};

interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getServerVersion(): { name: string } | undefined;
}

interface ToolResult {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
}

const CLIENTS: readonly [
  string,
  () => TestClient,
  typeof StreamableHTTPClientTransport | typeof StreamableHTTPClientTransportV1,
  number,
][] = [
  [
    'v2, auto',
    () => new Client(INFO, { versionNegotiation: { mode: 'auto' } }),
    StreamableHTTPClientTransport,
    0,
  ],
  [
    'v2, pinned to 2026-07-28',
    () => new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    StreamableHTTPClientTransport,
    0,
  ],
  [
    'v2, legacy',
    () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } }),
    StreamableHTTPClientTransport,
    1,
  ],
  ['v1', () => new ClientV1(INFO), StreamableHTTPClientTransportV1, 1],
];

describe.each(CLIENTS)('SDK client %s over HTTP', (name, create, Transport, sessions) => {
  let served: TestDoor;
  let client: TestClient;

  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
    (await client.callTool({ name: tool, arguments: args })) as ToolResult;

  beforeAll(async () => {
    served = await openTestDoor(NOTES);
    client = create();
    const headers = { Authorization: `Bearer ${served.token(name, 'vault:write')}` };
    await client.connect(new Transport(served.mcpUrl, { requestInit: { headers } }) as never);
  });

  afterAll(async () => {
    await client.close();
    await served.close();
  });

  it('knows the server and speaks its era', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'lectern' });
    expect(served.door.sessions.size).toBe(sessions);
  });

  it('lists, reads, searches and writes', async () => {
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('note_patch');
    expect((await call('vault_search', { q: 'slack water' })).structuredContent).toMatchObject({ total: 1 });
    const read = await call('note_read', { path: 'Tide table.md' });
    const written = await call('note_write', {
      path: 'Tide table.md',
      body: '# Tides\n\nSlack water at one.\n',
      if_match: read.structuredContent.etag,
    });
    expect(written.isError, JSON.stringify(written)).not.toBe(true);
    expect(served.vault.file('Tide table.md')).toBe('# Tides\n\nSlack water at one.\n');
  });

  it('gets mistakes the way its era shows them', async () => {
    expect(await call('note_read', { path: 'No such note.md' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'not_found' },
    });
    await expect(call('note_raed')).rejects.toMatchObject({ code: -32602 });
  });

  it('is named in the journal and in the audit log by its token', async () => {
    const history = await call('note_history', {});
    expect(JSON.stringify(history.structuredContent)).toContain(`"actor":"${name}"`);
    const writes = (await served.audited()).filter((record) => record.event === 'write');
    expect(writes).toMatchObject([
      {
        who: name,
        client: 'lectern-test',
        tool: 'note_write',
        door: 'mcp',
        changes: [{ action: 'replace', path: 'Tide table.md' }],
        outcome: 'ok',
      },
    ]);
  });
});
