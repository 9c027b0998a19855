import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bearer, INITIALIZE, openTestDoor, type TestDoor } from './support/test-door.ts';

/** Sessions of clients of 2025-11-25 and older. */

const NOTES = {
  'Projects/Harbour.md': '# Harbour\n\nThe crane waits. [[Diary]] #harbour\n',
  'Private/Diary.md': '# Diary\n\nNobody reads about the crane. [[Harbour]] #diary\n',
};

let served: TestDoor;

const opened: TestDoor[] = [];

beforeAll(async () => {
  served = await openTestDoor(NOTES);
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((door) => door.close()));
});

afterAll(async () => {
  await served.close();
});

async function openAnother(...options: Parameters<typeof openTestDoor>): Promise<TestDoor> {
  const door = await openTestDoor(...options);
  opened.push(door);
  return door;
}

describe('sessions', () => {
  async function initialize(door: TestDoor, token: string): Promise<string> {
    const response = await door.post(INITIALIZE, bearer(token));
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  }

  it('never names the stateless revision in an initialize result', async () => {
    const params = { ...INITIALIZE.params, protocolVersion: '2026-07-28' };
    const token = served.token('modern hello', 'vault:read');
    const response = await served.post({ ...INITIALIZE, params }, bearer(token));
    expect(await response.text()).toContain('"protocolVersion":"2025-11-25"');
  });

  it.each(['POST', 'GET', 'DELETE'])('answers %s on an unknown session with 404', async (method) => {
    const token = served.token(`unknown ${method}`, 'vault:read');
    const response = await fetch(served.mcpUrl, {
      method,
      headers: {
        ...bearer(token),
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
        'Mcp-Session-Id': '6d081beb-f584-4e4c-9542-4a195c2a5882',
      },
      ...(method === 'POST' && { body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }),
    });
    expect(response.status).toBe(404);
  });

  it('does not exist for another token', async () => {
    const session = await initialize(served, served.token('its owner', 'vault:read'));
    const other = bearer(served.token('somebody else', 'vault:admin'));
    const asked = { ...other, 'Mcp-Session-Id': session };
    expect((await served.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, asked)).status).toBe(404);
    const deleted = await fetch(served.mcpUrl, { method: 'DELETE', headers: asked });
    expect(deleted.status).toBe(404);
  });

  it('ends with DELETE', async () => {
    const token = served.token('ends', 'vault:read');
    const asked = { ...bearer(token), 'Mcp-Session-Id': await initialize(served, token) };
    expect((await fetch(served.mcpUrl, { method: 'DELETE', headers: asked })).status).toBe(200);
    expect((await served.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, asked)).status).toBe(404);
  });

  it('is needed for anything but initialize', async () => {
    const token = served.token('no hello', 'vault:read');
    const response = await served.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, bearer(token));
    expect(response.status).toBe(400);
    const get = await fetch(served.mcpUrl, {
      headers: { ...bearer(token), Accept: 'text/event-stream' },
    });
    expect(get.status).toBe(405);
  });

  it('answers a batch, and a client that only takes JSON', async () => {
    const token = served.token('batch', 'vault:read');
    const asked = {
      ...bearer(token),
      'Mcp-Session-Id': await initialize(served, token),
      Accept: 'application/json',
      'MCP-Protocol-Version': '2025-03-26',
    };
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/list' },
    ];
    const answers = (await (await served.post(batch, asked)).json()) as { id: string }[];
    expect(answers.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
    const one = await served.post({ jsonrpc: '2.0', id: 3, method: 'ping' }, asked);
    expect(await one.json()).toEqual({ jsonrpc: '2.0', id: 3, result: {} });
  });

  it('gives a client that lost its stream the answer it missed', async () => {
    const token = served.token('lost', 'vault:read');
    const asked = {
      ...bearer(token),
      'Mcp-Session-Id': await initialize(served, token),
      'MCP-Protocol-Version': '2025-11-25',
    };
    const call = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'vault_status', arguments: {} },
    };
    const stream = await (await served.post(call, asked)).text();
    const [, first] = /^id: (\d+)$/m.exec(stream) ?? [];
    const replayed = await fetch(served.mcpUrl, {
      headers: { ...asked, Accept: 'text/event-stream', 'Last-Event-ID': first ?? '' },
    });
    expect(replayed.status).toBe(200);
    expect(await replayed.text()).toContain('"id":9');
  });

  it('is evicted when there are too many, the longest unused first', async () => {
    const door = await openAnother(NOTES, { settings: { maxSessions: 2 } });
    const token = door.token('many', 'vault:read');
    const [first = '', second = ''] = [await initialize(door, token), await initialize(door, token)];
    const ping = (session: string) =>
      door.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, { ...bearer(token), 'Mcp-Session-Id': session });
    await (await ping(first)).text();
    await initialize(door, token);
    expect(door.door.sessions.size).toBe(2);
    expect((await ping(second)).status).toBe(404);
    expect((await ping(first)).status).toBe(200);
  });
});
