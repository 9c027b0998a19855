import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthDoor, openOAuthDoor } from './support/oauth-door.ts';
import { OAuthFlow, pkce, REDIRECT } from './support/oauth-flow.ts';

/** What somebody who should not get in can try at the authorization server. docs/security.md has the list. */

let served: OAuthDoor;
let flow: OAuthFlow;

beforeAll(async () => {
  served = await openOAuthDoor({ 'A.md': 'alpha\n' });
  flow = new OAuthFlow(served);
});

afterAll(async () => {
  await served.close();
});

describe('what must not work', () => {
  it('a code used twice, with another verifier, or by another client', async () => {
    const replayed = await flow.signIn();
    const again = await flow.token({
      grant_type: 'authorization_code',
      client_id: replayed.client,
      code: replayed.code,
      code_verifier: 'x'.repeat(43),
      redirect_uri: REDIRECT,
    });
    expect(again.error).toBe('invalid_grant');
    const { client_id } = await flow.register();
    const { client_id: stranger } = await flow.register();
    const { challenge, verifier } = pkce();
    for (const [client, code_verifier] of [
      [client_id, pkce().verifier],
      [stranger, verifier],
    ] as const) {
      const answer = await served.approve(flow.authorizeUrl(client_id, challenge));
      const code = answer.searchParams.get('code') ?? '';
      const fields = {
        grant_type: 'authorization_code',
        client_id: client,
        code,
        code_verifier,
        redirect_uri: REDIRECT,
      };
      expect((await flow.token(fields)).error).toBe('invalid_grant');
    }
  });

  it.each([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['an implicit flow', { response_type: 'token' }],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }],
  ])('%s', async (_case, more) => {
    const { client_id } = await flow.register();
    const url = flow.authorizeUrl(client_id, pkce().challenge, more);
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

  it('a token that somebody else made, or that says it needs no signature', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: served.origin, aud: served.mcpUrl.href, sub: 'owner', scope: 'vault:write' };
    const none = `${part({ alg: 'none' })}.${part(claims)}.`;
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
