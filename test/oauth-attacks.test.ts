import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationServer } from '../src/auth/oauth/authorization-server.ts';
import { OAuthDatabase } from '../src/auth/oauth/oauth-database.ts';
import { Owner } from '../src/auth/oauth/owner.ts';
import { type OAuthDoor, openOAuthDoor, PASSPHRASE } from './support/oauth-door.ts';
import { OAuthFlow, pkce, REDIRECT } from './support/oauth-flow.ts';

/** What somebody who should not get in can try at the authorization server. docs/security.md has the list. */

let served: OAuthDoor;
let flow: OAuthFlow;
/** How far the server's clock is ahead, ms. */
let ahead = 0;

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (claims: object) => `${part({ alg: 'none' })}.${part(claims)}.`;

beforeAll(async () => {
  served = await openOAuthDoor({ 'A.md': 'alpha\n' }, { now: () => Date.now() + ahead });
  flow = new OAuthFlow(served);
});

afterAll(async () => {
  await served.close();
});

describe('what must not work', () => {
  it('a code used twice: the tokens that it got end as well', async () => {
    const { client, code, verifier, access_token, refresh_token } = await flow.signIn();
    expect(await flow.works(access_token)).toBe(true);
    expect((await flow.redeem(client, code, verifier)).error).toBe('invalid_grant');
    expect(await flow.works(access_token)).toBe(false);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    expect(served.events.slice(-3)).toMatchObject([
      { kind: 'grant_ended', client, address: '127.0.0.1' },
      { kind: 'token_refused', client, reason: 'invalid_grant' },
      { kind: 'token_refused', client, reason: 'invalid_grant' },
    ]);
  });

  it.each([
    ['with another verifier', { code_verifier: 'x'.repeat(43) }],
    ['without a verifier', { code_verifier: '' }],
    ['with another redirect address', { redirect_uri: 'http://127.0.0.1:10/callback' }],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['by a client there is none of', { client_id: 'nobody' }],
  ])('a code shown %s', async (_case, more) => {
    const { client_id } = await flow.register();
    const { challenge, verifier } = pkce();
    const answer = await served.approve(flow.authorizeUrl(client_id, challenge));
    const tokens = await flow.redeem(client_id, answer.searchParams.get('code') ?? '', verifier, more);
    expect(tokens.error).toMatch(/^invalid_(grant|request|target|client)$/);
    expect(tokens.access_token).toBeUndefined();
  });

  it('a code of another client', async () => {
    const { client_id } = await flow.register();
    const { client_id: stranger } = await flow.register();
    const { challenge, verifier } = pkce();
    const answer = await served.approve(flow.authorizeUrl(client_id, challenge));
    const code = answer.searchParams.get('code') ?? '';
    expect((await flow.redeem(stranger, code, verifier)).error).toBe('invalid_grant');
  });

  it('a code that is older than a minute', async () => {
    const { client_id } = await flow.register();
    const { challenge, verifier } = pkce();
    const answer = await served.approve(flow.authorizeUrl(client_id, challenge));
    ahead += 61_000;
    const code = answer.searchParams.get('code') ?? '';
    expect((await flow.redeem(client_id, code, verifier)).error).toBe('invalid_grant');
  });

  it('a token of another server (foreign issuer), and one made for another resource (wrong audience)', async () => {
    const other = await openOAuthDoor({ 'A.md': 'alpha\n' });
    const copy = new AuthorizationServer({
      databasePath: other.databasePath,
      issuer: new URL('https://elsewhere.example'),
      client: undefined,
      vaults: [],
      onEvent: () => {},
    });
    try {
      const { access_token } = await new OAuthFlow(other).signIn();
      expect(await flow.works(access_token)).toBe(false);
      expect(await other.authorization.verify(access_token)).toMatchObject({ kind: 'good' });
      // The same database and the same keys, but it is asked for another resource than the token was made for.
      expect(await copy.verify(access_token)).toEqual({ kind: 'unknown' });
    } finally {
      copy.close();
      await other.close();
    }
  });

  it.each([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['an implicit flow', { response_type: 'token' }],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['a request in a token without signature', { request: unsigned({ response_type: 'code' }) }],
  ])('%s', async (_case, more) => {
    const { client_id } = await flow.register();
    const url = flow.authorizeUrl(client_id, pkce().challenge, more);
    for (const [name, value] of [...url.searchParams]) if (value === '') url.searchParams.delete(name);
    const response = await fetch(url, { redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? 'none:', served.origin);
    const error =
      location.searchParams.get('error') ?? new URLSearchParams(location.hash.slice(1)).get('error');
    expect(error).toMatch(
      /^(invalid_request|unsupported_response_type|invalid_target|request_not_supported)$/,
    );
    expect(location.searchParams.get('code')).toBeNull();
  });

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1:9/callback/../other',
    'http://127.0.0.1:9/callback?x=1',
    'http://127.0.0.1.evil.example:9/callback',
    'http://localhost:9/callback',
    '//evil.example/callback',
    'http://127.0.0.1:9@evil.example/callback',
    'http://user@127.0.0.1:9/callback',
    'http://127.0.0.1:9/callback#fragment',
    'http://127.0.0.1:9/callback%2f..%2fother',
    'http://127.0.0.1:9\\\\@evil.example/callback',
    'https://127.0.0.1:9/callback',
    ' http://127.0.0.1:9/callback',
  ])('a redirect to %s, which was not registered', async (redirect_uri) => {
    const { client_id } = await flow.register();
    const response = await fetch(flow.authorizeUrl(client_id, pkce().challenge, { redirect_uri }), {
      redirect: 'manual',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it.each([['javascript:alert(1)'], ['http://evil.example/callback'], ['data:text/html,x']])(
    'registering %s',
    async (uri) => {
      expect((await flow.register({ redirect_uris: [uri] })).status).toBe(400);
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

  it('a token that somebody else made, or that says it needs no signature (alg none)', async () => {
    const claims = { iss: served.origin, aud: served.mcpUrl.href, sub: 'owner', scope: 'vault:write' };
    const none = unsigned(claims);
    const signed = `${part({ alg: 'HS256' })}.${part(claims)}.${randomBytes(32).toString('base64url')}`;
    for (const forged of [none, signed, randomBytes(32).toString('base64url')]) {
      expect((await flow.list(forged)).status).toBe(401);
    }
  });

  it('a refresh token as an access token', async () => {
    expect((await flow.list((await flow.signIn()).refresh_token)).status).toBe(401);
  });
});

describe('the consent page', () => {
  async function atConsent(): Promise<{ url: URL; cookie: string; page: Response }> {
    const { client_id } = await flow.register();
    const first = await fetch(flow.authorizeUrl(client_id, pkce().challenge), { redirect: 'manual' });
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

  it('makes whoever guesses the passphrase wait, whatever address they claim to have', async () => {
    const door = await openOAuthDoor({ 'A.md': 'a\n' });
    try {
      const flow = new OAuthFlow(door);
      const { client_id } = await flow.register();
      const tried = async (passphrase: string, n = 0) => {
        const url = flow.authorizeUrl(client_id, pkce().challenge);
        return await door
          .approve(url, { passphrase }, { 'X-Forwarded-For': `203.0.113.${n}` })
          .then(({ searchParams }) => (searchParams.has('code') ? 'in' : 'out'))
          .catch((error: Error) => /^HTTP (\d+)/.exec(error.message)?.[1]);
      };
      for (let n = 0; n < 5; n++) expect(await tried(`a wrong guess ${n}`, n)).toBe('403');
      expect(await tried('one more wrong guess', 6)).toBe('429');
      expect(await tried(PASSPHRASE, 7)).toBe('429');
      expect(await door.authorization.owner.check(PASSPHRASE, 'another address')).toBe('good');
    } finally {
      await door.close();
    }
  });

  it('is closed for everybody after fifty wrong guesses from wherever, and opens again', async () => {
    let now = 0;
    const folder = mkdtempSync(join(tmpdir(), 'lectern-owner-'));
    const database = new OAuthDatabase(join(folder, 'oauth.db'), { now: () => now });
    try {
      const owner = new Owner(database, () => now);
      await owner.setPassphrase(owner.newSetupCode(), PASSPHRASE);
      // Longer than any passphrase: refused without the second of work that a guess costs.
      const guess = 'x'.repeat(1001);
      for (let n = 0; n < 50; n++) expect(await owner.check(guess, `address ${n}`)).toBe('wrong');
      expect(await owner.check(PASSPHRASE, 'the owner')).toBe('wait');
      now += 5 * 60_000 + 1;
      for (let n = 0; n < 60; n++) expect(owner.isSetupCode(`guess ${n}`)).toBe(false);
      expect(await owner.check(PASSPHRASE, 'the owner')).toBe('good');
    } finally {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
