import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthDoor, openOAuthDoor, PASSPHRASE } from './support/oauth-door.ts';
import { OAuthFlow, pkce, REDIRECT } from './support/oauth-flow.ts';

/** Attacks on the authorization server below the level of OAuth: names, bodies, headers, and what it fetches. */

const KNOWN = { id: 'known-client', secret: 'the secret of the known client', redirectUris: [REDIRECT] };

let served: OAuthDoor;
let flow: OAuthFlow;

beforeAll(async () => {
  served = await openOAuthDoor({ 'A.md': 'alpha\n' }, { client: KNOWN });
  flow = new OAuthFlow(served);
});

afterAll(async () => {
  await served.close();
});

interface RawAnswer {
  status: number;
  body: string;
  headers: Record<string, unknown>;
}

/** fetch() does not let a test choose Host; node:http does. */
function raw(
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
  agent?: Agent,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(served.origin);
    const request = httpRequest({ hostname, port, path, method, headers, agent }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += String(data);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Bytes as they are. @returns all that came back until the other side hung up */
function send(text: string, drip = false): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(served.origin).port), '127.0.0.1', () => socket.write(text));
    const timer = drip ? setInterval(() => socket.write('x'), 50) : undefined;
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const PATHS = [
  '/oauth/authorize?client_id=x',
  '/oauth/jwks',
  '/oauth/setup?code=x',
  '/oauth/consent/x',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource/mcp',
];

describe('DNS rebinding', () => {
  it.each(PATHS)('%s is not for a foreign Host', async (path) => {
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80']) {
      expect((await raw(path, { Host: host })).status, host).toBe(403);
    }
  });

  it('what a request says of Host does not decide where clients are sent', async () => {
    const answer = await raw('/.well-known/oauth-authorization-server', {
      Host: `localhost:${new URL(served.origin).port}`,
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example;proto=https',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toContain('evil.example');
    expect(JSON.parse(answer.body)).toMatchObject({
      issuer: served.origin,
      token_endpoint: `${served.origin}/oauth/token`,
    });
  });
});

describe('bodies', () => {
  it.each([
    ['/oauth/token', FORM, `grant_type=refresh_token&refresh_token=${'x'.repeat(1_000_000)}`],
    ['/oauth/revoke', FORM, `token=${'x'.repeat(1_000_000)}`],
    ['/oauth/register', { 'Content-Type': 'application/json' }, `{"client_name":"${'x'.repeat(1_000_000)}"}`],
    ['/oauth/setup', FORM, `code=${'x'.repeat(1_000_000)}`],
  ])('%s takes no body of a megabyte', async (path, headers, body) => {
    const answer = await raw(path, headers as Record<string, string>, 'POST', body).catch(
      (error: NodeJS.ErrnoException) => ({
        status: error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 413 : 0,
      }),
    );
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect((await fetch(`${served.origin}/healthz`)).status).toBe(200);
  });

  it.each([
    ['/oauth/token', FORM],
    ['/oauth/revoke', FORM],
    ['/oauth/register', { 'Content-Type': 'application/json' }],
    ['/oauth/token', { 'Content-Type': 'text/plain' }],
    ['/oauth/setup', FORM],
  ])(
    '%s refuses one half read without holding up the next request of the connection',
    async (path, headers) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = 0; turn < 3; turn++) {
        const { status } = await raw(
          path,
          headers as Record<string, string>,
          'POST',
          'x'.repeat(1_000_000),
          agent,
        );
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
        expect((await raw('/healthz', {}, 'GET', '', agent)).status).toBe(200);
      }
      agent.destroy();
    },
    10_000,
  );

  it.each(['/oauth/token', '/oauth/register', '/oauth/setup'])(
    '%s does not wait for a slow one',
    async (path) => {
      const slow = await openOAuthDoor(
        { 'A.md': 'a\n' },
        {},
        { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
      );
      const before = served;
      served = slow;
      try {
        const start = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n`;
        expect(await send(start, true)).not.toMatch(/^HTTP\/1\.1 2/);
      } finally {
        served = before;
        await slow.close();
      }
    },
  );

  it('are forms where forms are due', async () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await raw(
        '/oauth/token',
        { 'Content-Type': type },
        'POST',
        '{"grant_type":"refresh_token"}',
      );
      expect(answer.status).toBe(400);
      const setup = await raw('/oauth/setup', { 'Content-Type': type }, 'POST', 'code=x');
      expect(setup.status).toBe(400);
    }
  });
});

describe('smuggling', () => {
  const inner = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const start =
    'POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n';

  it.each([
    ['two lengths', `${start}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    [
      'a length and chunks',
      `${start}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    ],
    ['a space before the colon', `${start}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`],
    ['an unknown coding', `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`],
    [
      'a folded header',
      `${start}Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${inner}`,
    ],
    ['a bare carriage return', `${start}X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`],
  ])('%s ends the connection', async (_case, text) => {
    const answer = await send(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('"ok":true');
  });

  it.each(['client_id', 'code', 'redirect_uri', 'grant_type'])('%s is not taken twice', async (name) => {
    const fields = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: KNOWN.id,
      client_secret: KNOWN.secret,
      code: 'x',
      redirect_uri: REDIRECT,
      code_verifier: 'x'.repeat(43),
    });
    fields.append(name, 'another');
    const answer = await raw('/oauth/token', FORM, 'POST', fields.toString());
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: expect.stringMatching(/^invalid_(request|client)$/),
    });
  });
});

describe('the secret of a known client', () => {
  it.each([
    ['wrong', { client_secret: 'the secret of the known clienT' }],
    ['empty', { client_secret: '' }],
    ['missing', {}],
  ])('is not %s', async (_case, more) => {
    const answer = await flow.token({
      grant_type: 'refresh_token',
      client_id: KNOWN.id,
      refresh_token: 'x',
      ...more,
    });
    expect(answer.error).toMatch(/^invalid_(client|request)$/);
  });
});

describe('client metadata documents (SSRF)', () => {
  it.each([
    (port: number) => `https://127.0.0.1:${port}/metadata`,
    (port: number) => `http://127.0.0.1:${port}/metadata`,
    (port: number) => `https://localhost:${port}/metadata`,
    () => 'https://localhost/metadata',
    () => 'https://[::1]/metadata',
    () => 'https://[::ffff:127.0.0.1]/metadata',
    () => 'https://169.254.169.254/latest/meta-data',
    () => 'https://2130706433/metadata',
    () => 'https://metadata.google.internal/computeMetadata/v1/',
  ])('are not fetched from inside (%#)', async (address) => {
    let connections = 0;
    const inside = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const bound = inside.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
    try {
      const url = flow.authorizeUrl(address(port), pkce().challenge);
      const response = await fetch(url, { redirect: 'manual' });
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
      // Nor is the caller told what is there.
      expect(await response.text()).not.toMatch(/ECONN|EAI_|refused|timeout/i);
      expect(connections).toBe(0);
    } finally {
      inside.close();
    }
  });
});

describe('secrets', () => {
  it('are in no log, no audit record and no file of the state folder', async () => {
    const { access_token, refresh_token, code, verifier, client } = await flow.signIn();
    const next = await flow.refresh(client, refresh_token);
    await flow.call(access_token, 'note_write', { path: 'New.md', body: 'new\n' });
    await flow.redeem(client, code, verifier);
    await flow.list(`${access_token}x`);
    const known = { client_id: KNOWN.id, client_secret: KNOWN.secret };
    await flow.token({ ...known, grant_type: 'refresh_token', refresh_token: 'x' });
    const said = served.logged() + JSON.stringify(await served.audited()) + JSON.stringify(served.events);
    expect(said).toContain('New.md');
    const secrets = [
      access_token,
      refresh_token,
      next.access_token,
      next.refresh_token,
      code,
      verifier,
      PASSPHRASE,
      KNOWN.secret,
    ];
    const folders = [dirname(served.databasePath), served.vault.state];
    const files = folders.flatMap((folder) =>
      readdirSync(folder).map((file) => readFileSync(join(folder, file))),
    );
    expect(files.length).toBeGreaterThan(2);
    for (const secret of secrets) {
      expect(said).not.toContain(secret);
      for (const file of files) expect(file.includes(secret)).toBe(false);
    }
  });
});
