import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { approve } from '../support/oauth-door.ts';
import { pkce } from '../support/oauth-flow.ts';
import { bearer } from '../support/test-door.ts';
import { type Exchange, exchange, INITIALIZE, postMcp } from './silverbullet-wire.ts';

/** The server as whoever comes from silverbullet-mcp-server starts it: with that system's environment. */

const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));
const CALLBACK = 'https://claude.ai/api/mcp/auth_callback';

const README = {
  SB_URL: 'https://notes.example.com',
  SB_TOKEN: 'the token of the space',
  MCP_TOKEN: '2f1b9a0c7d5e4f3a8b6c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f00',
  OAUTH_CLIENT_ID: '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0',
  OAUTH_CLIENT_SECRET: 'ab'.repeat(32),
  OWNER_TOKEN: 'the tide is out',
  JWT_SIGNING_KEY: 'cd'.repeat(64),
};

let folder: string;
let port: number;
let server: Server;

interface Server {
  readonly child: ChildProcess;
  readonly said: () => string;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-silverbullet-'));
  mkdirSync(join(folder, 'space'));
  writeFileSync(join(folder, 'space', 'index.md'), 'Welcome\n');
  port = await freePort();
  server = await start();
}, 30_000);
afterAll(async () => {
  await stop(server);
  rmSync(folder, { recursive: true, force: true });
});

const origin = () => `http://127.0.0.1:${port}`;
const mcp = () => new URL('/mcp', origin());

async function start(more: Record<string, string | undefined> = {}): Promise<Server> {
  const { PATH } = process.env;
  const env = {
    PATH,
    HOME: folder,
    ...README,
    PORT: String(port),
    PUBLIC_URL: origin(),
    LECTERN_CATALOGUE: 'silverbullet',
    LECTERN_VAULT: join(folder, 'space'),
    LECTERN_STATE: join(folder, 'state'),
    ...more,
  };
  const child = spawn(process.execPath, [LECTERN, 'serve'], { env });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += String(data);
      if (said.includes(' at http')) resolve();
    });
    child.once('exit', () => reject(new Error(said)));
  });
  return { child, said: () => said };
}

async function stop({ child }: Server): Promise<void> {
  const left = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await left;
}

async function json(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(new URL(path, origin()));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A call in a session of its own. */
async function readIndex(token: string): Promise<Exchange> {
  const opened = await postMcp(mcp(), INITIALIZE, bearer(token));
  if (opened.status !== 200) return opened;
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
  const call = { name: 'read_page', arguments: { page: 'index' } };
  return await postMcp(
    mcp(),
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
    { ...bearer(token), ...session },
  );
}

/** What a connector does with the client's id and secret, the owner at the browser. */
async function signIn(more: { redirect?: string; scope?: string; basic?: boolean } = {}) {
  const { redirect = CALLBACK, scope = 'mcp', basic = false } = more;
  const { verifier, challenge } = pkce();
  const url = new URL('/authorize', origin());
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: README.OAUTH_CLIENT_ID,
    redirect_uri: redirect,
    state: 'xyz',
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString();
  const answer = await approve(url, { passphrase: README.OWNER_TOKEN });
  const credentials = { client_id: README.OAUTH_CLIENT_ID, client_secret: README.OAUTH_CLIENT_SECRET };
  const form = {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    redirect_uri: redirect,
    code_verifier: verifier,
    ...(!basic && credentials),
  };
  const authorization = Buffer.from(Object.values(credentials).join(':')).toString('base64');
  const response = await fetch(new URL('/token', origin()), {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: basic ? { Authorization: `Basic ${authorization}` } : {},
  });
  return { answer, tokens: (await response.json()) as Record<string, string>, form };
}

describe('the environment of silverbullet-mcp-server', () => {
  it('is understood, below the vault that Lectern’s own variables name', () => {
    expect(server.said()).toContain(`/space at ${origin()}/mcp`);
    expect(server.said()).not.toContain('passphrase');
    for (const secret of [README.MCP_TOKEN, README.OWNER_TOKEN, README.SB_TOKEN])
      expect(server.said()).not.toContain(secret);
  });

  it('health and readiness, for everybody', async () => {
    expect(await json('/healthz')).toEqual({ status: 200, body: { ok: true } });
    expect(await json('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
  });

  it('both documents of discovery', async () => {
    expect((await json('/.well-known/oauth-protected-resource')).body).toMatchObject({
      resource: mcp().href,
      authorization_servers: [origin()],
      bearer_methods_supported: ['header'],
    });
    expect((await json('/.well-known/oauth-authorization-server')).body).toMatchObject({
      issuer: origin(),
      authorization_endpoint: `${origin()}/oauth/authorize`,
      token_endpoint: `${origin()}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        'client_secret_post',
        'client_secret_basic',
      ]),
    });
  });

  it('clients that look nowhere find where to register', async () => {
    const response = await fetch(new URL('/register', origin()), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'x', redirect_uris: ['http://127.0.0.1:9/callback'] }),
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ client_name: 'x', client_id: expect.any(String) });
  });

  it('MCP_TOKEN works as bearer', async () => {
    const { message } = await readIndex(README.MCP_TOKEN);
    expect(message.result).toMatchObject({ content: [{}, { text: 'Welcome\n' }] });
  });

  it.each([undefined, 'wrong', README.SB_TOKEN.replaceAll(' ', '-')])(
    'no or another token: %s',
    async (token) => {
      const { status, headers, message } = await postMcp(mcp(), INITIALIZE, token ? bearer(token) : {});
      expect([status, message]).toEqual([401, { error: 'unauthorized' }]);
      expect(headers.get('www-authenticate')).toContain(`Bearer realm="MCP"`);
      expect(headers.get('www-authenticate')).toContain(
        `resource_metadata="${origin()}/.well-known/oauth-protected-resource`,
      );
    },
  );

  it('requests outside of a session, in this system’s words', async () => {
    const token = bearer(README.MCP_TOKEN);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const missing = {
      jsonrpc: '2.0',
      error: { code: -32_000, message: 'Missing session id or initialize request' },
      id: null,
    };
    const sessions: Record<string, string>[] = [{}, { 'Mcp-Session-Id': 'no such' }];
    for (const session of sessions) {
      const posted = await postMcp(mcp(), list, { ...token, ...session });
      expect([posted.status, posted.message]).toEqual([400, missing]);
      const got = await exchange(await fetch(mcp(), { headers: { ...token, ...session } }));
      expect([got.status, got.message]).toEqual([400, { error: 'unknown session' }]);
      const ended = await fetch(mcp(), { method: 'DELETE', headers: { ...token, ...session } });
      expect(ended.status).toBe(204);
    }
    const opened = await postMcp(mcp(), INITIALIZE, token);
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
    const ended = await fetch(mcp(), { method: 'DELETE', headers: { ...token, ...session } });
    expect(ended.status).toBe(204);
    expect((await postMcp(mcp(), list, { ...token, ...session })).status).toBe(400);
    expect((await postMcp(mcp(), '{', token)).message.error).toMatchObject({ code: -32_700 });
    const twice = await postMcp(mcp(), { jsonrpc: '2.0', method: 'notifications/initialized' }, token);
    expect(twice.status).toBe(400);
  });
});

describe('the OAuth client of the environment', () => {
  it.each([false, true])('comes in with the owner’s token; secret in the header: %s', async (basic) => {
    const { answer, tokens } = await signIn({ basic });
    expect(answer.href.startsWith(`${CALLBACK}?`)).toBe(true);
    expect(answer.searchParams.get('state')).toBe('xyz');
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await readIndex(tokens.access_token ?? '')).status).toBe(200);
  });

  it('gets new tokens without the owner', async () => {
    const { tokens, form } = await signIn();
    const refresh = async (token: string) => {
      const { client_id = '', client_secret = '' } = form as Record<string, string>;
      const response = await fetch(new URL('/token', origin()), {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: token,
          client_id,
          client_secret,
        }),
      });
      return (await response.json()) as Record<string, string>;
    };
    const next = await refresh(tokens.refresh_token ?? '');
    expect((await readIndex(next.access_token ?? '')).status).toBe(200);
  });

  it('a code works once; the secret and the owner’s token must be right', async () => {
    const { form } = await signIn();
    const redeem = async (more: Record<string, string>) => {
      const body = new URLSearchParams({ ...form, ...more });
      const response = await fetch(new URL('/token', origin()), { method: 'POST', body });
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    expect(await redeem({})).toEqual([400, 'invalid_grant']);
    expect(await redeem({ client_secret: 'wrong' })).toEqual([401, 'invalid_client']);
    expect(await redeem({ grant_type: 'password' })).toEqual([400, 'unsupported_grant_type']);
    const url = new URL('/authorize', origin());
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: README.OAUTH_CLIENT_ID,
      redirect_uri: CALLBACK,
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    }).toString();
    await expect(approve(url, { passphrase: 'the tide is in.' })).rejects.toThrow('HTTP 403');
  });

  it('is answered nowhere but at Claude’s own addresses', async () => {
    const { answer } = await signIn({ redirect: 'https://claude.com/api/mcp/auth_callback' });
    expect(answer.host).toBe('claude.com');
    for (const redirect of ['https://evil.example/callback', `${CALLBACK}/more`, 'http://127.0.0.1:9/x'])
      await expect(signIn({ redirect }), redirect).rejects.toThrow('HTTP 400');
  });

  it('is shut out by another JWT_SIGNING_KEY, and by nothing else', async () => {
    const { tokens } = await signIn();
    const token = tokens.access_token ?? '';
    await stop(server);
    server = await start();
    expect((await readIndex(token)).status).toBe(200);
    await stop(server);
    server = await start({ JWT_SIGNING_KEY: 'ef'.repeat(64) });
    expect((await readIndex(token)).status).toBe(401);
    expect((await signIn()).tokens).toHaveProperty('access_token');
  }, 30_000);
});

describe('a start that cannot work', () => {
  it.each([
    [{ OWNER_TOKEN: 'short' }, 'LECTERN_OAUTH_PASSPHRASE is too short'],
    [{ MCP_TOKEN: 'short' }, 'LECTERN_HTTP_TOKEN cannot be used'],
    [{ OAUTH_CLIENT_SECRET: '' }, 'Set LECTERN_OAUTH_CLIENT_SECRET'],
  ])('%o', async (more, words) => {
    await expect(start(more)).rejects.toThrow(words);
  });
});

it('writes and failures are in the log of the host', async () => {
  const token = bearer(README.MCP_TOKEN);
  const opened = await postMcp(mcp(), INITIALIZE, token);
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' };
  const call = (name: string, given: object) =>
    postMcp(
      mcp(),
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name, arguments: given } },
      { ...token, ...session },
    );
  await call('create_page', { page: 'logged', body: 'x' });
  await call('create_page', { page: 'logged', body: 'x' });
  expect(readFileSync(join(folder, 'space', 'logged.md'), 'utf8')).toBe('x');
  // Lines of the log come by another pipe than the answers.
  await expect
    .poll(() => server.said())
    .toMatch(/^\[WRITE\] action=create page="logged\.md" bytes=1 last_modified=\d{13}$/m);
  await expect
    .poll(() => server.said())
    .toMatch(/^\[ERROR\] tool=create_page code=already_exists page="logged"$/m);
});
