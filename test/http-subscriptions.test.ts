import { beforeAll, describe, expect, it } from 'vitest';
import { openSession } from './support/door-setup.ts';
import { statelessRequest } from './support/protocol.ts';
import { openTestDoor, type TestDoor } from './support/test-door.ts';

/** Subscriptions over HTTP, in both eras: told of what the caller may see, and of nothing else. */

let served: TestDoor;

beforeAll(async () => {
  served = await openTestDoor({ 'Open/A.md': 'a\n', 'Private/B.md': 'b\n' });
  return () => served.close();
});

/** Reads events until one contains `wanted`; everything read so far is returned. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended before ${wanted}: ${text}`);
    text += Buffer.from(value).toString('utf8');
  }
  return text;
}

async function write(token: string, path: string, body: string): Promise<void> {
  const request = statelessRequest('tools/call', { name: 'note_write', arguments: { path, body } });
  const response = await served.post(request.body, { ...request.headers, Authorization: `Bearer ${token}` });
  expect(await response.text()).not.toContain('isError');
}

describe('subscriptions/listen', () => {
  it('tells of changes that the token may see, and keeps quiet about the others', async () => {
    const owner = served.token('listen owner', 'vault:write');
    const guest = served.token('listen guest', 'vault:read', 'path:Open');
    const { body, headers } = statelessRequest('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['vault://**'] },
    });
    const stream = await served.post(body, { ...headers, Authorization: `Bearer ${guest}` });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const reader = stream.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    await readUntil(reader, 'notifications/subscriptions/acknowledged');
    await write(owner, 'Private/B.md', 'changed\n');
    await write(owner, 'Open/A.md', 'changed\n');
    const told = await readUntil(reader, 'notifications/resources/updated');
    expect(told).toContain('A.md');
    expect(told).not.toContain('Private');
    await reader.cancel();
  });

  it('is refused when headers and body disagree', async () => {
    const token = served.token('listen mismatch', 'vault:read');
    const { body, headers } = statelessRequest('subscriptions/listen', { notifications: {} });
    const response = await served.post(body, {
      ...headers,
      'Mcp-Method': 'tools/list',
      Authorization: `Bearer ${token}`,
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('-32020');
  });

  it('ends with a result when the server stops', async () => {
    const door = await openTestDoor({ 'A.md': 'a\n' });
    const token = door.token('until the end', 'vault:read');
    const { body, headers } = statelessRequest('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['vault://A.md'] },
    });
    const stream = await door.post(body, { ...headers, Authorization: `Bearer ${token}` });
    const reader = stream.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    await readUntil(reader, 'acknowledged');
    const closing = door.close();
    await readUntil(reader, '"result"');
    await closing;
  });
});

describe('resources/subscribe in a session', () => {
  it('tells of a change in the stream of the session', async () => {
    const token = served.token('session', 'vault:write');
    const session = await openSession(served, token);
    const stream = await fetch(served.mcpUrl, { headers: { ...session, Accept: 'text/event-stream' } });
    const subscribe = {
      jsonrpc: '2.0',
      id: 2,
      method: 'resources/subscribe',
      params: { uri: 'vault://Open/A.md' },
    };
    expect(await (await served.post(subscribe, session)).text()).toContain('"result"');
    await write(token, 'Open/A.md', 'changed again\n');
    const reader = stream.body?.getReader();
    if (reader === undefined) throw new Error('no body');
    expect(await readUntil(reader, 'notifications/resources/updated')).toContain('vault://');
    await reader.cancel();
  });
});
