import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bearer, openTestDoor, type TestDoor, type TestDoorOptions } from '../support/test-door.ts';

/** The dialect over HTTP in sessions of 2025-03-26, as the system's own clients speak it. */
export interface SilverbulletWire {
  readonly door: TestDoor;
  readonly url: URL;
  readonly client: SilverbulletClient;
  /** Another client, with a token and a session of its own. */
  connect(...words: string[]): Promise<SilverbulletClient>;
  /** What the file system says of a page, as the system tells it. */
  lastModified(path: string): number;
  close(): Promise<void>;
}

export interface SilverbulletClient {
  readonly initialized: Exchange;
  /** A request of the session. */
  ask(method: string, params?: unknown): Promise<Exchange>;
  /** The result of a tool, as it is on the wire. */
  call(name: string, given?: unknown): Promise<ToolResult>;
  /** The first block of an answer, as JSON. */
  facts(name: string, given?: unknown): Promise<Record<string, unknown>>;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

export interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  /** The one message of the body; empty when there is none. */
  readonly message: { readonly id?: unknown; readonly result?: unknown; readonly error?: unknown };
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'curl', version: '0' } },
};

export async function openSilverbulletWire(
  files: Record<string, string>,
  options: TestDoorOptions = {},
): Promise<SilverbulletWire> {
  const door = await openTestDoor(files, options);
  const url = new URL(`${door.mcpUrl}/silverbullet`);
  let clients = 0;
  const connect = async (...words: string[]) =>
    await openClient(url, door.token(`client ${++clients}`, ...words));
  return {
    door,
    url,
    client: await connect('vault:read', 'vault:write'),
    connect,
    lastModified: (path) => Math.floor(statSync(join(door.vault.folder, path)).mtimeMs),
    close: () => door.close(),
  };
}

async function openClient(url: URL, token: string): Promise<SilverbulletClient> {
  let session: Record<string, string> = {};
  const send = async (body: unknown) => await postMcp(url, body, { ...bearer(token), ...session });
  const initialized = await send(INITIALIZE);
  session = { 'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '' };
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  let id = 1;
  const ask = (method: string, params?: unknown) =>
    send({ jsonrpc: '2.0', id: ++id, method, ...(params !== undefined && { params }) });
  const call = async (name: string, given?: unknown) =>
    (await ask('tools/call', { name, ...(given !== undefined && { arguments: given }) })).message
      .result as ToolResult;
  return {
    initialized,
    ask,
    call,
    facts: async (name, given) => JSON.parse((await call(name, given)).content[0]?.text ?? ''),
  };
}

export async function postMcp(
  url: URL,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Exchange> {
  const response = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  return await exchange(response);
}

/** A body of one JSON message, or of one event that holds it. */
export async function exchange(response: Response): Promise<Exchange> {
  const text = await response.text();
  const data = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    message: data.startsWith('{') ? JSON.parse(data) : {},
  };
}
