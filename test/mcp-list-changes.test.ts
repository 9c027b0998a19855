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
import { afterAll, expect, it, vi } from 'vitest';
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

const folder = mkdtempSync(join(tmpdir(), 'lectern-lists-'));
const close: (() => Promise<void>)[] = [];

mkdirSync(join(folder, 'vault/Prompts'), { recursive: true });
save('A.md', 'a\n');
configure('');

afterAll(async () => {
  for (const end of close.toReversed()) await end();
  rmSync(folder, { recursive: true, force: true });
});

function save(path: string, text: string): void {
  writeFileSync(join(folder, 'vault', path), text);
}

function remove(path: string): void {
  rmSync(join(folder, 'vault', path));
}

function configure(more: string): void {
  writeFileSync(join(folder, 'lectern.yaml'), `vaults: { notes: ./vault }\n${more}`);
}

let states = 0;
/** Each server has a state of its own. */
const placed = () => ['--config', join(folder, 'lectern.yaml'), '--state', join(folder, `state ${++states}`)];

/** One server for all that come over HTTP. */
async function served(): Promise<URL> {
  const child = spawn(process.execPath, [LECTERN, 'serve', '--no-auth', '--port', '0', ...placed()]);
  close.push(async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  });
  return new URL(await httpAddress(child));
}

interface Listener {
  readonly name: string;
  readonly client: TestClient;
  readonly told: Record<List, number>;
}

async function connected(
  [name, create, transport, sdk, hear]: (typeof CLIENTS)[number],
  url: URL,
): Promise<Listener> {
  const client = create() as TestClient;
  if (transport === 'stdio') {
    const Transport = sdk === 'v1' ? StdioClientTransportV1 : StdioClientTransport;
    const args = [LECTERN, 'mcp', 'serve', ...placed()];
    await client.connect(new Transport({ command: process.execPath, args }) as never);
  } else {
    const Transport = sdk === 'v1' ? StreamableHTTPClientTransportV1 : StreamableHTTPClientTransport;
    await client.connect(new Transport(url) as never);
  }
  close.push(() => client.close());
  const told: Record<List, number> = { tools: 0, resources: 0, prompts: 0 };
  await hear(client as never, (list) => void told[list]++);
  return { name, client, told };
}

async function names({ client }: Listener, list: List): Promise<string[]> {
  if (list === 'tools') return (await client.listTools()).tools.map(({ name }) => name);
  if (list === 'prompts') return (await client.listPrompts()).prompts.map(({ name }) => name);
  return (await client.listResources()).resources.map(({ name }) => name);
}

/** Each change is told within a second or two; the rest is for a machine that has much else to do. */
vi.setConfig({ testTimeout: 240_000 });
const WITHIN = { timeout: 60_000 };

it('SDK clients of both eras hear of notes, prompts and tools that come and go, over both transports', async () => {
  const url = await served();
  const clients = await Promise.all(CLIENTS.map((client) => connected(client, url)));

  /** What every client has, by its name. */
  const each = async <T>(ask: (listener: Listener) => T | Promise<T>): Promise<Record<string, T>> =>
    Object.fromEntries(
      await Promise.all(
        clients.map(async (client): Promise<[string, T]> => [client.name, await ask(client)]),
      ),
    );
  const all = <T>(value: T) => Object.fromEntries(CLIENTS.map(([name]) => [name, value]));
  /** Whether a name is in the list that each client gets. */
  const has = (list: List, name: string) =>
    each(async (client) => (await names(client, list)).includes(name));
  const count = (lists: readonly List[]) => each(({ told }) => lists.map((list) => told[list]));

  await expect.poll(() => has('resources', 'A.md'), WITHIN).toEqual(all(true));
  for (const list of LISTS) await each((client) => names(client, list));

  /** Waits until every client was told of each of these lists, after `change`. */
  const toldOf = async (lists: readonly List[], change: () => void) => {
    const before = await each(({ told }) => ({ ...told }));
    change();
    await expect
      .poll(
        () => each(({ name, told }) => lists.filter((list) => told[list] === before[name]?.[list])),
        WITHIN,
      )
      .toEqual(all([]));
  };
  // What the first build of the index tells has been told when this has.
  await toldOf(['prompts'], () => save('Prompts/First.md', 'First.\n'));
  await each(({ told }) => Object.assign(told, { tools: 0, prompts: 0 }));
  await toldOf(['resources'], () => save('B.md', 'b\n'));
  expect(await has('resources', 'B.md')).toEqual(all(true));
  expect(await count(['prompts', 'tools'])).toEqual(all([0, 0]));
  await toldOf(['resources'], () => remove('B.md'));
  expect(await has('resources', 'B.md')).toEqual(all(false));
  await toldOf(['resources', 'prompts'], () => save('Prompts/Tidy up.md', 'Tidy up.\n'));
  expect(await has('prompts', 'tidy_up')).toEqual(all(true));
  // Another text of a note is no other list; of a prompt it may be.
  const before = await count(['resources']);
  await toldOf(['prompts'], () => save('Prompts/Tidy up.md', '---\ndescription: At last\n---\nTidy up.\n'));
  expect(await count(['resources'])).toEqual(before);
  await toldOf(['prompts', 'resources'], () => remove('Prompts/Tidy up.md'));
  expect(await has('prompts', 'tidy_up')).toEqual(all(false));
  expect(await count(['tools'])).toEqual(all([0]));
  await toldOf(['tools'], () => configure('tools: { deny: [note_delete] }\n'));
  expect(await has('tools', 'note_delete')).toEqual(all(false));
  await toldOf(['tools'], () => configure(''));
  expect(await has('tools', 'note_delete')).toEqual(all(true));

  // A burst is told of a few times, not once for each.
  const quiet = await each(({ told }) => told.resources);
  await toldOf(['resources'], () => {
    for (let n = 0; n < 300; n++) save(`burst ${n}.md`, 'x\n');
  });
  // Told after all of the burst.
  await toldOf(['prompts'], () => save('Prompts/Last.md', 'Last.\n'));
  const often = await each(({ name, told }) => told.resources - (quiet[name] ?? 0) >= 10);
  expect(often).toEqual(all(false));
});
