import { bearer, openTestDoor, type TestDoor, type TestDoorOptions } from '../support/test-door.ts';

export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The dialect over Streamable HTTP, as its clients speak it: one session, raw messages. */
export interface InklingsWire {
  readonly door: TestDoor;
  readonly url: string;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The answer to a handshake that asks for this revision, in a session of its own. */
  initialize(protocolVersion: string): Promise<RpcAnswer>;
  /** Sends a request in the session and gives the whole message that answers it. */
  ask(method: string, params?: unknown, id?: number | string): Promise<RpcAnswer>;
  /** What a tool answers, parsed; or the JSON-RPC error. */
  call(name: string, given?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export async function openInklingsWire(
  files: Record<string, string>,
  options: TestDoorOptions = {},
  scopes: readonly string[] = ['vault:write'],
): Promise<InklingsWire> {
  const door = await openTestDoor(files, options);
  const url = `${door.mcpUrl}/inklings`;
  const authorization = bearer(door.token('client', ...scopes));
  let session: Record<string, string> = {};
  let asked = 10;
  const post = (body: unknown, headers: Record<string, string> = authorization) =>
    fetch(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...session,
        ...headers,
      },
    });
  const ask = async (method: string, params?: unknown, id: number | string = ++asked): Promise<RpcAnswer> =>
    await answerIn(await post({ jsonrpc: '2.0', id, method, params }));
  const hello = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 7,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'claude', version: '1' } },
  });
  const begun = await post(hello('2025-06-18'));
  await begun.text();
  session = {
    'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '',
    'Mcp-Protocol-Version': '2025-06-18',
  };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    door,
    url,
    post,
    ask,
    async initialize(version) {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
      const body = JSON.stringify(hello(version));
      return await answerIn(
        await fetch(url, { method: 'POST', body, headers: { ...headers, ...authorization } }),
      );
    },
    async call(name, given) {
      const { result, error } = await ask('tools/call', { name, arguments: given });
      if (error !== undefined) return error;
      const { content, isError } = result as { content: { text: string }[]; isError: boolean };
      return isError ? result : JSON.parse(content[0]?.text ?? '');
    },
    close: () => door.close(),
  };
}

/** The last message of an answer, whether it comes as JSON or as a stream. */
async function answerIn(response: Response): Promise<RpcAnswer> {
  const text = await response.text();
  const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? [];
  return JSON.parse(data) as RpcAnswer;
}
