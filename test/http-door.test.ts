import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { doorForTest, HARBOUR_NOTES, openSession } from './support/door-setup.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, callTool, INITIALIZE, openTestDoor, type TestDoor } from './support/test-door.ts';

/** What somebody who should not come in can try at the HTTP door. */

let served: TestDoor;

beforeAll(async () => {
  served = await openTestDoor(HARBOUR_NOTES);
  return () => served.close();
});

/** fetch() does not let a test choose Host; node:http does. */
function rawGet(door: TestDoor, path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = door.mcpUrl;
    const request = httpRequest({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('credentials', () => {
  it('asks for a token, and says what is wrong with one', async () => {
    const { body, headers } = statelessRequest('tools/list');
    const none = await served.post(body, headers);
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="lectern"');
    const wrong = await served.post(body, {
      ...headers,
      ...bearer(`lectern_0123456789abcdef_${'A'.repeat(43)}`),
    });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it.each(['Basic bGVjdGVybjp4', 'Bearer', 'Bearer a b', `Bearer ${'a'.repeat(9000)}`, 'lectern_x'])(
    'refuses the header %.40s',
    async (header) => {
      const { body, headers } = statelessRequest('tools/list');
      expect((await served.post(body, { ...headers, Authorization: header })).status).toBe(401);
    },
  );

  it('does not take a token from the address', async () => {
    const token = served.token('in the address', 'vault:read');
    const { body, headers } = statelessRequest('tools/list');
    const response = await fetch(`${served.mcpUrl}?token=${token}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });

  it('shuts out a revoked token at once, its sessions too', async () => {
    const token = served.token('to be revoked', 'vault:read');
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const asked = await openSession(served, token);
    expect((await served.post(ping, asked)).status).toBe(200);
    served.tokens.revoke('to be revoked');
    expect((await served.post(ping, asked)).status).toBe(401);
  });

  it('makes who keeps guessing wait, and nobody else: not at another address, nor with a token at the same', async () => {
    const door = await doorForTest(HARBOUR_NOTES, { flags: { trustProxy: ['127.0.0.1'] } });
    const { body, headers } = statelessRequest('tools/list');
    const token = door.token('owner', 'vault:read');
    const from = (address: string, with_: string) =>
      door.post(body, { ...headers, ...bearer(with_), 'X-Forwarded-For': address });
    const guess = (address: string) => from(address, 'lectern_guess');
    for (let n = 0; n < 30; n++) expect((await guess('203.0.113.7')).status).toBe(401);
    const started = performance.now();
    const late = await guess('203.0.113.7');
    expect(late.status).toBe(429);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(performance.now() - started).toBeGreaterThan(900);
    expect((await guess('203.0.113.8')).status).toBe(401);
    // While hundreds of guesses wait, in front and behind.
    const guesses = Array.from({ length: 200 }, () => guess('203.0.113.7'));
    const good = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.7', token)));
    expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
    const bad = await Promise.all(guesses);
    expect(bad.every(({ status }) => status === 429 || status === 401)).toBe(true);
    expect(bad.filter(({ status }) => status === 401).length).toBeLessThan(30);
    for (const { status } of [await from('203.0.113.7', token), await from('203.0.113.8', token)])
      expect(status).toBe(200);
  });

  it('limits the requests of one token, not those of others', async () => {
    const door = await doorForTest(HARBOUR_NOTES, { flags: { rateLimit: '5' } });
    const { body, headers } = statelessRequest('tools/list');
    const busy = { ...headers, ...bearer(door.token('busy', 'vault:read')) };
    const calm = { ...headers, ...bearer(door.token('calm', 'vault:read')) };
    for (let n = 0; n < 5; n++) expect((await door.post(body, busy)).status).toBe(200);
    expect((await door.post(body, busy)).status).toBe(429);
    expect((await door.post(body, calm)).status).toBe(200);
  });

  it('writes neither tokens nor note text to log or audit', async () => {
    const door = await doorForTest(HARBOUR_NOTES);
    const token = door.token('writer', 'vault:write');
    const { body, headers } = statelessRequest('tools/list');
    await door.post(body, { ...headers, ...bearer(`${token}x`) });
    await callTool(door, token, 'note_write', { path: 'New.md', body: 'a secret recipe' });
    await callTool(door, token, 'note_write', { path: 'New.md', bodyy: 'a secret recipe' });
    const said = door.logged() + JSON.stringify(await door.audited());
    expect(said).toContain('New.md');
    expect(said).not.toContain(token.slice(-43));
    expect(said).not.toContain('secret recipe');
  });
});

describe('the source of a request', () => {
  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '10.0.0.1',
  ])('refuses the Host %s (DNS rebinding)', async (host) => {
    expect((await rawGet(served, '/mcp', { Host: host })).statusCode).toBe(host.includes('@') ? 400 : 403);
  });

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'refuses the Origin %s',
    async (origin) => {
      expect((await rawGet(served, '/mcp', { Origin: origin })).statusCode).toBe(403);
    },
  );

  it('lets loopback names in, to be asked for a token', async () => {
    for (const headers of [
      { Host: 'localhost:1' },
      { Host: '[::1]:7862' },
      { Origin: 'http://localhost:6274' },
    ] as Record<string, string>[]) {
      expect((await rawGet(served, '/mcp', headers)).statusCode).toBe(401);
    }
  });

  it('lets only listed web pages read answers', async () => {
    const door = await doorForTest(HARBOUR_NOTES, { flags: { allowOrigin: ['https://app.example/'] } });
    const preflight = (origin: string) =>
      fetch(door.mcpUrl, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
    const good = await preflight('https://app.example');
    expect(good.status).toBe(204);
    expect(good.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(good.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect((await preflight('https://evil.example')).status).toBe(403);
    const local = await preflight('http://localhost:6274');
    expect(local.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('believes X-Forwarded-For only of proxies it was told about', async () => {
    const { body, headers } = statelessRequest('tools/list');
    await served.post(body, { ...headers, 'X-Forwarded-For': '203.0.113.50' });
    const addresses = (await served.audited()).map((record) => record.address);
    expect(addresses).not.toContain('203.0.113.50');
    expect(addresses).toContain('127.0.0.1');
  });
});

describe('bodies', () => {
  it('refuses more than the limit, announced or not', async () => {
    const door = await doorForTest(HARBOUR_NOTES, { flags: { bodyLimit: '16' } });
    const token = door.token('large', 'vault:write');
    const { body, headers } = statelessRequest('tools/call', {
      name: 'note_write',
      arguments: { path: 'Big.md', body: 'x'.repeat(20_000) },
    });
    expect((await door.post(body, { ...headers, ...bearer(token) })).status).toBe(413);
    const chunked = await fetch(door.mcpUrl, {
      method: 'POST',
      headers: { ...headers, ...bearer(token), 'Content-Type': 'application/json' },
      body: new Blob([JSON.stringify(body)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(door.vault.file('Big.md')).toBeUndefined();
  });

  it.each([
    ['{', 400],
    ['', 400],
    ['null', 400],
    ['[]', 400],
    ['"x"', 400],
    [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, 400],
  ])('refuses %.20s', async (body, status) => {
    const token = served.token(`body ${body.slice(0, 5)}${body.length}`, 'vault:read');
    expect((await served.post(body, bearer(token))).status).toBe(status);
  });

  it('refuses what a web form can send', async () => {
    const token = served.token('form', 'vault:read');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const response = await served.post(INITIALIZE, { ...bearer(token), 'Content-Type': type });
      expect(response.status).toBe(415);
    }
  });

  it('hangs up on two lengths and on a smuggled request', async () => {
    const { port } = served.mcpUrl;
    const send = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        socket.on('data', (data) => {
          answer += data.toString();
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', () => resolve(answer));
      });
    const smuggled = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const start = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    for (const headers of [
      'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
      `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ]) {
      const answer = await send(start + headers);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).not.toContain('"ok":true');
    }
  });
});

describe('slow senders', () => {
  const quick = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };

  /** Sends a start and then one byte now and then, until it is hung up on. */
  function drip(door: TestDoor, start: string): Promise<string> {
    return new Promise((resolve) => {
      let answer = '';
      const socket = connect(Number(door.mcpUrl.port), '127.0.0.1', () => socket.write(start));
      const timer = setInterval(() => socket.write('x'), 50);
      socket.on('data', (data) => {
        answer += data.toString();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(timer);
        resolve(answer);
      });
    });
  }

  it('are hung up on, in the middle of headers and of a body', async () => {
    const door = await doorForTest(HARBOUR_NOTES, { door: { patience: quick } });
    const token = door.token('slow', 'vault:read');
    expect(await drip(door, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(/^HTTP\/1\.1 408 /);
    const body = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`;
    expect(await drip(door, body)).not.toMatch(/^HTTP\/1\.1 2/);
    const { body: list, headers } = statelessRequest('tools/list');
    expect((await door.post(list, { ...headers, ...bearer(token) })).status).toBe(200);
  });
});

describe('health', () => {
  it('is told to everybody, without a word about notes', async () => {
    for (const path of ['/healthz', '/health', '/readyz']) {
      const response = await fetch(new URL(path, served.mcpUrl));
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/Harbour|Projects|vault/);
      // Whoever keeps it running may know it by another name.
      expect(
        (await rawGet(served, path, { Host: '10.0.0.1', Origin: 'https://evil.example' })).statusCode,
      ).toBe(200);
    }
  });

  it('is bad when the store cannot be reached', async () => {
    const door = await doorForTest(HARBOUR_NOTES, {
      door: { readiness: async () => ({ store: 'unreachable', index: 'unknown' }) },
    });
    expect((await fetch(new URL('/readyz', door.mcpUrl))).status).toBe(503);
    expect((await fetch(new URL('/healthz', door.mcpUrl))).status).toBe(200);
  });
});

describe('time', () => {
  it('answers a call that takes too long, and still finishes it before it closes', async () => {
    let finish = () => {};
    const opening = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const vaultOf = async (...args: Parameters<TestDoor['vault']['vault']['session']>) => {
      await opening;
      return door.vault.vault.session(...args);
    };
    const door: TestDoor = await openTestDoor(HARBOUR_NOTES, {
      settings: { callLimitMs: 100 },
      door: { vault: vaultOf },
    });
    const answer = await callTool(door, door.token('slow', 'vault:write'), 'note_read', { path: 'Alone.md' });
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { code: 'timeout' } });
    finish();
    await door.close();
  });

  it('finishes a write in flight when it is stopped, and takes no more', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const door: TestDoor = await openTestDoor(HARBOUR_NOTES, {
      door: {
        vault: async (actor, narrowing) => {
          arrived();
          await held;
          return door.vault.vault.session(actor, narrowing);
        },
      },
    });
    const token = door.token('writer', 'vault:write');
    const writing = callTool(door, token, 'note_write', { path: 'Late.md', body: 'in time\n' });
    await arrival;
    const stopping = door.door.stop();
    letGo();
    expect((await writing).result?.structuredContent).toMatchObject({ path: 'Late.md', created: true });
    await stopping;
    expect(door.vault.file('Late.md')).toBe('in time\n');
    await expect(callTool(door, token, 'vault_status')).rejects.toThrow();
    await door.vault.close();
  });
});
