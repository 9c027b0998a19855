import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from './mcp-process.ts';

export type Era = '2025-11-25' | '2026-07-28';

/** Told the URI of every `notifications/resources/updated`. */
type Told = (uri: string) => void;

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly uri?: string };
  readonly error?: { readonly message: string };
}

const CLIENT = { name: 'lectern-bench', version: '1' };

function request(era: Era, id: number, method: string, params: object = {}): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  };
  return { jsonrpc: '2.0', id, method, params: era === '2026-07-28' ? { ...params, _meta } : params };
}

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Subscribed over standard input and output. @returns when every later change will be told */
export async function subscribeOverStdio(
  child: ChildProcess,
  era: Era,
  uri: string,
  told: Told,
): Promise<void> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('The server has no pipes.');
  const write = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const { id, method, params, error } = JSON.parse(line) as Message;
      if (error !== undefined) reject(new Error(error.message));
      if (method === 'notifications/resources/updated') told(params?.uri ?? '');
      else if (method === 'notifications/subscriptions/acknowledged' || id === 2) resolve();
      else if (id === 1 && era === '2025-11-25') {
        write(INITIALIZED);
        write(request(era, 2, 'resources/subscribe', { uri }));
      } else if (id === 1) {
        write(request(era, 3, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }));
      }
    });
    write(
      era === '2025-11-25' ? request(era, 1, 'initialize', INITIALIZE) : request(era, 1, 'server/discover'),
    );
  });
}

/** Subscribed over Streamable HTTP. @returns when every later change will be told */
export async function subscribeOverHttp(url: string, era: Era, uri: string, told: Told): Promise<void> {
  const post = (message: object, headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
  if (era === '2026-07-28') {
    const method = 'subscriptions/listen';
    const listen = request(era, 1, method, { notifications: { resourceSubscriptions: [uri] } });
    const stream = await post(listen, { 'MCP-Protocol-Version': era, 'Mcp-Method': method });
    await follow(stream, told, 'notifications/subscriptions/acknowledged');
    return;
  }
  const hello = await post(request(era, 1, 'initialize', INITIALIZE), {});
  await hello.text();
  const session = {
    'Mcp-Session-Id': hello.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': era,
  };
  await (await post(INITIALIZED, session)).text();
  const stream = await fetch(url, { headers: { ...session, Accept: 'text/event-stream' } });
  await follow(stream, told);
  await (await post(request(era, 2, 'resources/subscribe', { uri }), session)).text();
}

/** Reads events for good. @param until resolves with the first message of this method; at once without one */
async function follow(stream: Response, told: Told, until?: string): Promise<void> {
  if (!stream.ok || stream.body === null) throw new Error(`HTTP ${stream.status}: ${await stream.text()}`);
  const { body } = stream;
  await new Promise<void>((resolve, reject) => {
    const read = async (): Promise<void> => {
      let text = '';
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          if (!line.startsWith('data: {')) continue;
          const { method, params } = JSON.parse(line.slice(6)) as Message;
          if (method === until) resolve();
          if (method === 'notifications/resources/updated') told(params?.uri ?? '');
        }
      }
    };
    // The stream breaks when the server is stopped at the end.
    read().catch(reject);
    if (until === undefined) resolve();
  });
}

/** Starts `lectern serve` without locks on a free port. @returns the process and its MCP endpoint */
export async function serveOverHttp(command: Command): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(command.program, command.args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const chunk of child.stderr) {
    said += String(chunk);
    const [, url] = / at (http:\S+\/mcp) /.exec(said) ?? [];
    if (url !== undefined) return { child, url };
  }
  await once(child, 'exit');
  throw new Error(`The server did not start: ${said}`);
}
