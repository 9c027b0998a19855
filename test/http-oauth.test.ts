import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAuthDatabase } from '../src/auth/oauth/oauth-database.ts';
import { type OAuthDoor, openOAuthDoor } from './support/oauth-door.ts';
import { statelessRequest } from './support/test-door.ts';

/** The authorization server on the wire: the whole flow, and what must not work. */

const REDIRECT = 'http://127.0.0.1:9/callback';

let served: OAuthDoor;

beforeAll(async () => {
  served = await openOAuthDoor({ 'Projects/A.md': 'alpha\n', 'Private/B.md': 'beta\n' });
});

afterAll(async () => {
  await served.close();
});

interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
  error?: string;
}

async function register(metadata: object = {}): Promise<{ client_id: string; status: number }> {
  const response = await fetch(`${served.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test <b>client</b>', redirect_uris: [REDIRECT], ...metadata }),
  });
  return { ...((await response.json()) as { client_id: string }), status: response.status };
}

function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

function authorizeUrl(client: string, challenge: string, more: Record<string, string> = {}): URL {
  const url = new URL('/oauth/authorize', served.origin);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'vault:read vault:write',
    resource: served.mcpUrl.href,
    state: 'xyz',
    ...more,
  }).toString();
  return url;
}

async function token(fields: Record<string, string>): Promise<Tokens & { status: number }> {
  const response = await fetch(`${served.origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  return { ...((await response.json()) as Tokens), status: response.status };
}

async function signIn(form: Record<string, string> = {}): Promise<Tokens & { client: string; code: string }> {
  const { client_id: client } = await register();
  const { verifier, challenge } = pkce();
  const answer = await served.approve(authorizeUrl(client, challenge), form);
  const code = answer.searchParams.get('code') ?? '';
  const tokens = await token({
    grant_type: 'authorization_code',
    client_id: client,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  });
  expect(tokens.status, JSON.stringify(tokens)).toBe(200);
  return { ...tokens, client, code };
}

async function list(accessToken: string): Promise<Response> {
  const { body, headers } = statelessRequest('tools/list');
  return await served.post(body, { ...headers, Authorization: `Bearer ${accessToken}` });
}

describe('discovery', () => {
  it('leads from a 401 to where a token can be had', async () => {
    const { body, headers } = statelessRequest('tools/list');
    const refused = await served.post(body, headers);
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(challenge).toContain('scope="vault:read vault:write"');
    expect(metadataUrl).toBe(`${served.origin}/.well-known/oauth-protected-resource/mcp`);
    const resource = (await (await fetch(metadataUrl)).json()) as Record<string, unknown>;
    expect(resource).toMatchObject({ resource: served.mcpUrl.href, authorization_servers: [served.origin] });
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/mcp',
    ]) {
      expect(await (await fetch(served.origin + path)).json()).toMatchObject({
        issuer: served.origin,
        authorization_endpoint: `${served.origin}/oauth/authorize`,
        token_endpoint: `${served.origin}/oauth/token`,
        registration_endpoint: `${served.origin}/oauth/register`,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
        response_types_supported: ['code'],
      });
      const said = JSON.stringify(await (await fetch(served.origin + path)).json());
      expect(said).not.toMatch(/pushed|dpop/);
    }
  });
});

describe('the whole flow', () => {
  it('ends with a token for this server, named in the journal by its client', async () => {
    const { access_token, scope, expires_in } = await signIn();
    expect(scope.split(' ')).toEqual(['vault:read', 'vault:write']);
    expect(expires_in).toBeLessThanOrEqual(3600);
    const answer = await list(access_token);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('note_write');
  });

  it('tells the client who answered (RFC 9207) and gives its state back', async () => {
    const { client_id } = await register();
    const answer = await served.approve(authorizeUrl(client_id, pkce().challenge));
    expect(answer.searchParams.get('iss')).toBe(served.origin);
    expect(answer.searchParams.get('state')).toBe('xyz');
  });

  it('gives less than was asked for when the owner says so', async () => {
    const { access_token, scope } = await signIn({ access: 'read', folders: 'Projects\n' });
    expect(scope).toBe('vault:read');
    expect(await (await list(access_token)).text()).not.toContain('note_write');
    const { body, headers } = statelessRequest('tools/call', { name: 'note_list', arguments: {} });
    const notes = await served.post(body, { ...headers, Authorization: `Bearer ${access_token}` });
    const text = await notes.text();
    expect(text).toContain('A.md');
    expect(text).not.toContain('B.md');
  });

  it('gives what it knows of what was asked for, and goes on', async () => {
    for (const [scope, wanted] of [
      ['openid vault:read offline_access', 'vault:read'],
      ['vault:read vault:admin', 'vault:read'],
      ['', 'vault:read vault:write'],
    ] as const) {
      const { client_id } = await register();
      const { verifier, challenge } = pkce();
      const url = authorizeUrl(client_id, challenge, { scope });
      if (scope === '') url.searchParams.delete('scope');
      const answer = await served.approve(url);
      const tokens = await token({
        grant_type: 'authorization_code',
        client_id,
        code: answer.searchParams.get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: REDIRECT,
      });
      expect(tokens.scope, `asked for ${scope}`).toBe(wanted);
    }
  });

  it('tells a client that calls beyond its scopes what to ask the owner for', async () => {
    const { access_token } = await signIn({ access: 'read' });
    const call = async (name: string) => {
      const { body, headers } = statelessRequest('tools/call', {
        name,
        arguments: { path: 'A.md', body: 'x' },
      });
      return await served.post(body, { ...headers, Authorization: `Bearer ${access_token}` });
    };
    const refused = await call('note_write');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*resource_metadata="[^"]+".*scope="vault:read vault:write"/,
    );
    expect(served.vault.file('A.md')).toBeUndefined();
    expect((await served.audited()).at(-1)).toMatchObject({ code: 'insufficient_scope', tool: 'note_write' });
    expect(await (await call('no_such_tool')).text()).toContain('-32602');
  });

  it('lets a native client listen on another port than it registered', async () => {
    const { client_id } = await register();
    const other = 'http://127.0.0.1:12345/callback';
    const answer = await served.approve(authorizeUrl(client_id, pkce().challenge, { redirect_uri: other }));
    expect(answer.port).toBe('12345');
  });

  it('tells the client when the owner declines', async () => {
    const { client_id } = await register();
    const answer = await served.approve(authorizeUrl(client_id, pkce().challenge), { action: 'deny' });
    expect(answer.searchParams.get('error')).toBe('access_denied');
  });

  it('refreshes, and takes a used refresh token as a theft: everything of that grant ends', async () => {
    const first = await signIn();
    const refresh = (refresh_token: string) =>
      token({ grant_type: 'refresh_token', client_id: first.client, refresh_token });
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect((await list(second.access_token)).status).toBe(200);
    expect((await refresh(first.refresh_token)).error).toBe('invalid_grant');
    expect((await list(second.access_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).error).toBe('invalid_grant');
  });

  it('lets the owner see whom they let in, and shut one out from another process', async () => {
    const { access_token, refresh_token, client } = await signIn({ access: 'read', folders: 'Projects' });
    const elsewhere = new OAuthDatabase(served.databasePath);
    const grant = elsewhere.grants().find((record) => record.client === client);
    expect(grant).toMatchObject({ name: 'Test <b>client</b>', words: ['vault:read', 'path:Projects'] });
    expect(elsewhere.revoke(grant?.id ?? '')).toBe(true);
    expect(elsewhere.revoke(grant?.id ?? '')).toBe(false);
    expect(elsewhere.grants().some((record) => record.client === client)).toBe(false);
    elsewhere.close();
    expect((await list(access_token)).status).toBe(401);
    const refreshed = await token({ grant_type: 'refresh_token', client_id: client, refresh_token });
    expect(refreshed.error).toBe('invalid_grant');
  });

  it('keeps neither codes nor tokens on disk', async () => {
    const { access_token, refresh_token, code } = await signIn();
    const folder = dirname(served.databasePath);
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file));
      for (const secret of [access_token, refresh_token, code]) expect(bytes.includes(secret)).toBe(false);
    }
  });

  it('revokes a token (RFC 7009)', async () => {
    const { access_token, refresh_token, client } = await signIn();
    const revoke = (value: string) =>
      fetch(`${served.origin}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: client, token: value }),
      });
    expect((await revoke(refresh_token)).status).toBe(200);
    expect((await token({ grant_type: 'refresh_token', client_id: client, refresh_token })).error).toBe(
      'invalid_grant',
    );
    await revoke(access_token);
    expect((await list(access_token)).status).toBe(401);
  });
});

describe('what must not work', () => {
  it('a code used twice, with another verifier, or by another client', async () => {
    const replayed = await signIn();
    const again = await token({
      grant_type: 'authorization_code',
      client_id: replayed.client,
      code: replayed.code,
      code_verifier: 'x'.repeat(43),
      redirect_uri: REDIRECT,
    });
    expect(again.error).toBe('invalid_grant');
    const { client_id } = await register();
    const { client_id: stranger } = await register();
    const { challenge, verifier } = pkce();
    for (const [client, code_verifier] of [
      [client_id, pkce().verifier],
      [stranger, verifier],
    ] as const) {
      const answer = await served.approve(authorizeUrl(client_id, challenge));
      const code = answer.searchParams.get('code') ?? '';
      const fields = {
        grant_type: 'authorization_code',
        client_id: client,
        code,
        code_verifier,
        redirect_uri: REDIRECT,
      };
      expect((await token(fields)).error).toBe('invalid_grant');
    }
  });

  it.each([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['an implicit flow', { response_type: 'token' }],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }],
  ])('%s', async (_case, more) => {
    const { client_id } = await register();
    const url = authorizeUrl(client_id, pkce().challenge, more);
    for (const [name, value] of [...url.searchParams]) if (value === '') url.searchParams.delete(name);
    const response = await fetch(url, { redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? 'none:', served.origin);
    const error =
      location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error');
    expect(error).toMatch(/^(invalid_request|unsupported_response_type|invalid_target)$/);
    expect(location.searchParams.get('code')).toBeNull();
  });

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1:9/callback/../other',
    'http://127.0.0.1:9/callback?x=1',
    'http://127.0.0.1.evil.example:9/callback',
    'http://localhost:9/callback',
  ])('a redirect to %s, which was not registered', async (redirect_uri) => {
    const { client_id } = await register();
    const response = await fetch(authorizeUrl(client_id, pkce().challenge, { redirect_uri }), {
      redirect: 'manual',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it.each([['javascript:alert(1)'], ['http://evil.example/callback'], ['data:text/html,x']])(
    'registering %s',
    async (uri) => {
      expect((await register({ redirect_uris: [uri] })).status).toBe(400);
    },
  );

  it('registering clients without end', async () => {
    const door = await openOAuthDoor({ 'A.md': 'a\n' }, { registrationsPerHour: 2 });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 3; n++) {
        const response = await fetch(`${door.origin}/oauth/register`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [REDIRECT] }),
        });
        statuses.push(response.status);
      }
      expect(statuses).toEqual([201, 201, 429]);
    } finally {
      await door.close();
    }
  });

  it('a token that somebody else made, or that says it needs no signature', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: served.origin, aud: served.mcpUrl.href, sub: 'owner', scope: 'vault:write' };
    const none = `${part({ alg: 'none' })}.${part(claims)}.`;
    const signed = `${part({ alg: 'HS256' })}.${part(claims)}.${randomBytes(32).toString('base64url')}`;
    for (const forged of [none, signed, randomBytes(32).toString('base64url')]) {
      expect((await list(forged)).status).toBe(401);
    }
  });

  it('a refresh token as an access token', async () => {
    expect((await list((await signIn()).refresh_token)).status).toBe(401);
  });
});

describe('the consent page', () => {
  async function atConsent(): Promise<{ url: URL; cookie: string; page: Response }> {
    const { client_id } = await register();
    const first = await fetch(authorizeUrl(client_id, pkce().challenge), { redirect: 'manual' });
    const cookie = first.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
    const url = new URL(first.headers.get('location') ?? '', served.origin);
    return { url, cookie, page: await fetch(url, { headers: { cookie } }) };
  }

  it('shows what the client is without believing it, and cannot be framed', async () => {
    const { page } = await atConsent();
    const html = await page.text();
    expect(html).toContain('Test &lt;b&gt;client&lt;/b&gt;');
    expect(html).not.toContain('<b>client');
    expect(html).toContain('127.0.0.1:9');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    // With `no-referrer` a browser hides its Origin (Fetch, "append a request Origin header").
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
  });

  it('is not for other pages to post, nor for other browsers', async () => {
    const { url, cookie } = await atConsent();
    const body = new URLSearchParams({ action: 'allow', passphrase: 'x' });
    for (const headers of [
      { cookie, Origin: 'https://evil.example' },
      { cookie, Origin: served.origin, 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[]) {
      expect((await fetch(url, { method: 'POST', body, headers, redirect: 'manual' })).status).toBe(403);
    }
    expect((await fetch(url, { method: 'POST', body, redirect: 'manual' })).status).toBe(400);
  });

  it('makes whoever guesses the passphrase wait', async () => {
    const door = await openOAuthDoor({ 'A.md': 'a\n' });
    try {
      expect(await door.authorization.owner.check('wrong', 'a')).toBe('wrong');
      for (let n = 0; n < 4; n++) await door.authorization.owner.check('wrong', 'a');
      expect(await door.authorization.owner.check('slack water comes at noon', 'a')).toBe('wait');
      expect(await door.authorization.owner.check('slack water comes at noon', 'b')).toBe('good');
    } finally {
      await door.close();
    }
  });
});

describe('setting the passphrase', () => {
  it('works once, with the link from the terminal only', async () => {
    const link = served.authorization.newSetupLink();
    const wrong = await fetch(`${served.origin}/oauth/setup?code=guess`);
    expect(wrong.status).toBe(403);
    expect(await (await fetch(link)).text()).toContain('Passphrase');
    const code = new URL(link).searchParams.get('code') ?? '';
    const post = (passphrase: string, again = passphrase) =>
      fetch(`${served.origin}/oauth/setup`, {
        method: 'POST',
        body: new URLSearchParams({ code, passphrase, again }),
      });
    expect((await post('short')).status).toBe(400);
    expect((await post('slack water comes at noon', 'slack water comes at one')).status).toBe(400);
    expect((await post('slack water comes at noon')).status).toBe(200);
    expect((await post('another passphrase of mine')).status).toBe(403);
    expect((await fetch(link)).status).toBe(403);
  });
});
