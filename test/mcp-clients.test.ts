import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The real SDK clients, of both generations and in both eras, against the built binary. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const INFO = { name: 'lectern-test', version: '1.0.0' };

const NOTES = {
  'Projects/Harbour.md':
    '---\nstatus: open\ntags: [project/harbour]\n---\n# Harbour\n\nThe **crane** waits for [[Tide table]] and [[Lost]].\n\n## Plan\n\nLift at slack water. ^lift\n',
  'Tide table.md': '# Tides\n\nSlack water at noon, see [[Harbour]]. #reference\n',
  'Alone.md': 'Nobody links here.\n',
};

let folder: string;
let vault: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-clients-'));
  vault = join(folder, 'vault');
  for (const [path, text] of Object.entries(NOTES)) {
    await mkdir(dirname(join(vault, path)), { recursive: true });
    await writeFile(join(vault, path), text);
  }
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What the tests ask of a client, whichever SDK it comes from. */
interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string; inputSchema: object; annotations?: object }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getServerVersion(): { name: string; version: string } | undefined;
  getInstructions(): string | undefined;
}

interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
}

const CLIENTS: readonly [
  string,
  () => TestClient,
  typeof StdioClientTransport | typeof StdioClientTransportV1,
][] = [
  ['v2, auto', () => new Client(INFO, { versionNegotiation: { mode: 'auto' } }), StdioClientTransport],
  [
    'v2, pinned to 2026-07-28',
    () => new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    StdioClientTransport,
  ],
  ['v2, legacy', () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } }), StdioClientTransport],
  ['v1', () => new ClientV1(INFO), StdioClientTransportV1],
];

describe.each(CLIENTS)('SDK client %s', (_name, create, Transport) => {
  let client: TestClient;

  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: args })) as ToolResult;

  beforeAll(async () => {
    client = create();
    const transport = new Transport({
      command: process.execPath,
      args: [LECTERN, 'mcp', 'serve', '--stdio', '--vault', vault, '--state', join(folder, 'state')],
    });
    await client.connect(transport as never);
    while ((await call('vault_status')).structuredContent.index === 'building') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  afterAll(async () => {
    await client.close();
  });

  it('learns who the server is and how to use it', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'lectern' });
    expect(client.getInstructions()).toContain('vault_search');
  });

  it('lists every tool with a schema it accepts', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining(['vault_status', 'note_read', 'tag_notes']),
    );
    for (const tool of tools) expect(tool.annotations).toHaveProperty('readOnlyHint');
  });

  it('runs every read tool', async () => {
    const answers: [string, Record<string, unknown>, Record<string, unknown>][] = [
      ['vault_status', {}, { notes: 3 }],
      ['note_exists', { path: 'Alone.md' }, { exists: true, kind: 'note' }],
      ['note_list', { tag: 'project' }, { total: 1 }],
      ['note_list', { frontmatter: { status: 'open' } }, { total: 1 }],
      ['note_outline', { path: 'Projects/Harbour.md' }, { total: 2 }],
      [
        'note_read',
        { path: 'Projects/Harbour.md', heading: 'Plan' },
        { body: 'Lift at slack water. ^lift', line: 11 },
      ],
      ['note_read', { path: 'Tide table.md', block_id: undefined }, { body: NOTES['Tide table.md'] }],
      ['vault_search', { q: 'slack water' }, { total: 2, mode_used: 'lexical' }],
      ['link_backlinks', { path: 'Tide table.md' }, { total: 1 }],
      ['link_forward', { path: 'Projects/Harbour.md' }, { total: 2 }],
      ['link_unresolved', {}, { total: 1 }],
      ['link_orphans', {}, { total: 1 }],
      ['tag_list', {}, { total: 2 }],
      ['tag_notes', { tag: '#project/harbour' }, { total: 1 }],
    ];
    for (const [name, args, wanted] of answers) {
      const answer = await call(name, args);
      expect(answer.isError, `${name}: ${answer.content[0]?.text}`).not.toBe(true);
      expect(answer.structuredContent, name).toMatchObject(wanted);
      expect(answer.content[0]?.text).toBeTruthy();
    }
  });

  it('gets wrong arguments and missing notes as tool errors it can show', async () => {
    expect(await call('note_read', { patch: 'x' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid_input', details: { missing: ['path'] } },
    });
    expect(await call('note_read', { path: 'No such note.md' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'not_found' },
    });
  });

  it('gets an unknown tool as a protocol error', async () => {
    await expect(call('note_raed')).rejects.toMatchObject({ code: -32602 });
  });
});
