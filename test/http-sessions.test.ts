import { beforeAll, describe, expect, it } from 'vitest';
import { doorForTest, HARBOUR_NOTES, openSession } from './support/door-setup.ts';
import { bearer, INITIALIZE, openTestDoor, type TestDoor } from './support/test-door.ts';

/** Sessions of clients of 2025-11-25 and older. */

let served: TestDoor;

beforeAll(async () => {
  served = await openTestDoor(HARBOUR_NOTES);
  return () => served.close();
});

describe('sessions', () => {
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
    const session = await openSession(served, served.token('its owner', 'vault:read'));
    const asked = { ...session, ...bearer(served.token('somebody else', 'vault:admin')) };
    expect((await served.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, asked)).status).toBe(404);
    const deleted = await fetch(served.mcpUrl, { method: 'DELETE', headers: asked });
    expect(deleted.status).toBe(404);
  });

  it('ends with DELETE', async () => {
    const token = served.token('ends', 'vault:read');
    const asked = await openSession(served, token);
    expect((await fetch(served.mcpUrl, { method: 'DELETE', headers: asked })).status).toBe(200);
    expect((await served.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, asked)).status).toBe(404);
  });

  it('answers an id that is still in use, and the first request under it', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const door: TestDoor = await doorForTest(HARBOUR_NOTES, {
      door: {
        vault: async (actor, narrowing) => {
          await gate;
          return door.vault.vault.session(actor, narrowing);
        },
      },
    });
    const asked = await openSession(door, door.token('twice', 'vault:read'));
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'vault_status' } };
    // Its headers are sent when the stream is open: the request is in flight.
    const first = await door.post(call, asked);
    const second = await door.post({ jsonrpc: '2.0', id: 5, method: 'ping' }, asked);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 5, error: { code: -32600 } });
    release();
    expect(await first.text()).toContain('"id":5');
    const again = await door.post({ jsonrpc: '2.0', id: 5, method: 'ping' }, asked);
    expect(await again.text()).toContain('"result":{}');
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
      ...(await openSession(served, token)),
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
      ...(await openSession(served, token)),
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
    const door = await doorForTest(HARBOUR_NOTES, { settings: { maxSessions: 2 } });
    const token = door.token('many', 'vault:read');
    const [first, second] = [await openSession(door, token), await openSession(door, token)];
    const ping = (session: Record<string, string>) =>
      door.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, session);
    await (await ping(first)).text();
    await openSession(door, token);
    expect(door.door.sessions.size).toBe(2);
    expect((await ping(second)).status).toBe(404);
    expect((await ping(first)).status).toBe(200);
  });
});
