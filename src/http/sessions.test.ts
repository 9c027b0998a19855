import { Server } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { EVERYONE } from '../auth/grant.ts';
import { Sessions } from './sessions.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};

let now: number;
let sessions: Sessions;

beforeEach(() => {
  now = 0;
  sessions = new Sessions({
    idleMs: 1000,
    maxSessions: 10,
    now: () => now,
    onError: (error) => {
      throw error;
    },
  });
});

function request(method: string, session?: string): Request {
  return new Request('http://localhost/mcp', {
    method,
    headers: {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(session !== undefined && { 'Mcp-Session-Id': session }),
    },
  });
}

async function open(body: unknown = INITIALIZE): Promise<string> {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  const response = await sessions.open(request('POST'), body, EVERYONE, server);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

describe('Sessions', () => {
  it('ends one that was not used for long', async () => {
    await open();
    const used = await open();
    now = 900;
    let sent = () => {};
    await sessions.handle(
      request('POST', used),
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      EVERYONE,
      (done) => {
        sent = done;
      },
    );
    now = 1000;
    await sessions.sweep(() => true);
    expect(sessions.size).toBe(1);
    now = 5000;
    await sessions.sweep(() => true);
    expect(sessions.size, 'its answer is still on the way').toBe(1);
    sent();
    now = 6000;
    await sessions.sweep(() => true);
    expect(sessions.size).toBe(0);
  });

  it('ends those whose credential no longer works, and their streams', async () => {
    const id = await open();
    const stream = await sessions.handle(request('GET', id), undefined, EVERYONE, () => {});
    await sessions.sweep(() => false);
    expect(sessions.size).toBe(0);
    expect(await stream?.text()).toBe('');
  });

  it('keeps nothing of a request that opened none', async () => {
    await open([INITIALIZE, { jsonrpc: '2.0', id: 2, method: 'ping' }]);
    expect(sessions.size).toBe(0);
  });
});
