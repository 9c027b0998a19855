import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpAddress, LECTERN } from './support/process-wire.ts';

/** That lists changed reaches the real SDK clients, in both eras and over both transports. */

const INFO = { name: 'lectern-test', version: '1.0.0' };
const LISTS = ['tools', 'resources', 'prompts'] as const;
type List = (typeof LISTS)[number];

/** What the tests ask of a client, whichever SDK it comes from. */
interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { name: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
}

type Hear = (client: never, told: (list: List) => void) => Promise<void>;

const byListen: Hear = async (client: Client, told) => {
  await bySession(client as never, told);
  await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
};

const bySession: Hear = async (client: Client, told) => {
  for (const list of LISTS)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => told(list));
};

const bySessionV1: Hear = async (client: ClientV1, told) => {
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => told('tools'));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => told('resources'));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => told('prompts'));
};

const pinned = () => new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
const legacy = () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } });

const CLIENTS: readonly [string, () => unknown, 'stdio' | 'http', 'v1' | 'v2', Hear][] = [
  ['v2, pinned to 2026-07-28, stdio', pinned, 'stdio', 'v2', byListen],
  ['v2, legacy, stdio', legacy, 'stdio', 'v2', bySession],
  ['v1, stdio', () => new ClientV1(INFO), 'stdio', 'v1', bySessionV1],
  ['v2, pinned to 2026-07-28, HTTP', pinned, 'http', 'v2', byListen],
  ['v2, legacy, HTTP', legacy, 'http', 'v2', bySession],
  ['v1, HTTP', () => new ClientV1(INFO), 'http', 'v1', bySessionV1],
];

const root = mkdtempSync(join(tmpdir(), 'lectern-lists-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;
let close: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  mkdirSync(join(folder, 'vault/Prompts'), { recursive: true });
  save('A.md', 'a\n');
  configure('');
});

afterEach(async () => {
  for (const end of close.toReversed()) await end();
  close = [];
});

const save = (path: string, text: string) => writeFileSync(join(folder, 'vault', path), text);
const remove = (path: string) => rmSync(join(folder, 'vault', path));
const configure = (more: string) =>
  writeFileSync(join(folder, 'lectern.yaml'), `vaults: { notes: ./vault }\nstate: ./state\n${more}`);

async function connected(
  create: () => unknown,
  transport: 'stdio' | 'http',
  sdk: 'v1' | 'v2',
): Promise<TestClient> {
  const client = create() as TestClient;
  const config = ['--config', join(folder, 'lectern.yaml')];
  if (transport === 'stdio') {
    const Transport = sdk === 'v1' ? StdioClientTransportV1 : StdioClientTransport;
    const args = [LECTERN, 'mcp', 'serve', ...config];
    await client.connect(new Transport({ command: process.execPath, args }) as never);
  } else {
    const child = spawn(process.execPath, [LECTERN, 'serve', '--no-auth', '--port', '0', ...config]);
    close.push(async () => {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    });
    const url = new URL(await httpAddress(child));
    const Transport = sdk === 'v1' ? StreamableHTTPClientTransportV1 : StreamableHTTPClientTransport;
    await client.connect(new Transport(url) as never);
  }
  close.push(() => client.close());
  return client;
}

/** Each change is told within a second or two; the rest is for a machine that has much else to do. */
vi.setConfig({ testTimeout: 240_000 });

describe.each(CLIENTS)('SDK client %s', (_name, create, transport, sdk, hear) => {
  it('hears of notes, prompts and tools that come and go', async () => {
    const client = await connected(create, transport, sdk);
    const told: Record<List, number> = { tools: 0, resources: 0, prompts: 0 };
    await hear(client as never, (list) => void told[list]++);
    const names = async (list: List) => {
      if (list === 'tools') return (await client.listTools()).tools.map(({ name }) => name);
      if (list === 'prompts') return (await client.listPrompts()).prompts.map(({ name }) => name);
      return (await client.listResources()).resources.map(({ name }) => name);
    };
    await expect.poll(() => names('resources'), { timeout: 60_000 }).toContain('A.md');
    for (const list of LISTS) await names(list);

    /** Waits until the client was told of each of these lists, after `change`. */
    const toldOf = async (lists: readonly List[], change: () => void) => {
      const before = { ...told };
      change();
      await expect
        .poll(() => lists.filter((list) => told[list] === before[list]), { timeout: 60_000 })
        .toEqual([]);
    };
    // What the first build of the index tells has been told when this has.
    await toldOf(['prompts'], () => save('Prompts/First.md', 'First.\n'));
    Object.assign(told, { tools: 0, prompts: 0 });
    await toldOf(['resources'], () => save('B.md', 'b\n'));
    expect(await names('resources')).toContain('B.md');
    expect([told.prompts, told.tools]).toEqual([0, 0]);
    await toldOf(['resources'], () => remove('B.md'));
    expect(await names('resources')).not.toContain('B.md');
    await toldOf(['resources', 'prompts'], () => save('Prompts/Tidy up.md', 'Tidy up.\n'));
    expect(await names('prompts')).toContain('tidy_up');
    // Another text of a note is no other list; of a prompt it may be.
    const before = told.resources;
    await toldOf(['prompts'], () => save('Prompts/Tidy up.md', '---\ndescription: At last\n---\nTidy up.\n'));
    expect(told.resources).toBe(before);
    await toldOf(['prompts', 'resources'], () => remove('Prompts/Tidy up.md'));
    expect(await names('prompts')).not.toContain('tidy_up');
    expect(told.tools).toBe(0);
    await toldOf(['tools'], () => configure('tools: { deny: [note_delete] }\n'));
    expect(await names('tools')).not.toContain('note_delete');
    await toldOf(['tools'], () => configure(''));
    expect(await names('tools')).toContain('note_delete');

    // A burst is told of a few times, not once for each.
    const quiet = told.resources;
    await toldOf(['resources'], () => {
      for (let n = 0; n < 300; n++) save(`burst ${n}.md`, 'x\n');
    });
    // Told after all of the burst.
    await toldOf(['prompts'], () => save('Prompts/Last.md', 'Last.\n'));
    expect(told.resources - quiet).toBeLessThan(10);
  });
});
