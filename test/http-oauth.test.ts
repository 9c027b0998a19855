import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OAuthDatabase } from '../src/auth/oauth/oauth-database.ts';
import { type OAuthDoor, openOAuthDoor } from './support/oauth-door.ts';
import { OAuthFlow, pkce, REDIRECT } from './support/oauth-flow.ts';
import { statelessRequest } from './support/protocol.ts';

/** The authorization server on the wire: the whole flow, as it should go. */

let served: OAuthDoor;
let flow: OAuthFlow;

beforeAll(async () => {
  served = await openOAuthDoor({ 'Projects/A.md': 'alpha\n', 'Private/B.md': 'beta\n' });
  flow = new OAuthFlow(served);
});

afterAll(async () => {
  await served.close();
});

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
    const { access_token, scope, expires_in } = await flow.signIn();
    expect(scope.split(' ')).toEqual(['vault:read', 'vault:write']);
    expect(expires_in).toBeLessThanOrEqual(3600);
    const answer = await flow.list(access_token);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('note_write');
  });

  it('tells the client who answered (RFC 9207) and gives its state back', async () => {
    const { client_id } = await flow.register();
    const answer = await served.approve(flow.authorizeUrl(client_id, pkce().challenge));
    expect(answer.searchParams.get('iss')).toBe(served.origin);
    expect(answer.searchParams.get('state')).toBe('xyz');
  });

  it('gives less than was asked for when the owner says so', async () => {
    const { access_token, scope } = await flow.signIn({ access: 'read', folders: 'Projects\n' });
    expect(scope).toBe('vault:read');
    expect(await (await flow.list(access_token)).text()).not.toContain('note_write');
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
      const { client_id } = await flow.register();
      const { verifier, challenge } = pkce();
      const url = flow.authorizeUrl(client_id, challenge, { scope });
      if (scope === '') url.searchParams.delete('scope');
      const answer = await served.approve(url);
      const tokens = await flow.token({
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
    const { access_token } = await flow.signIn({ access: 'read' });
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
    const { client_id } = await flow.register();
    const other = 'http://127.0.0.1:12345/callback';
    const answer = await served.approve(
      flow.authorizeUrl(client_id, pkce().challenge, { redirect_uri: other }),
    );
    expect(answer.port).toBe('12345');
  });

  it('tells the client when the owner declines', async () => {
    const { client_id } = await flow.register();
    const answer = await served.approve(flow.authorizeUrl(client_id, pkce().challenge), { action: 'deny' });
    expect(answer.searchParams.get('error')).toBe('access_denied');
  });

  it('lets the owner see whom they let in, and shut one out from another process', async () => {
    const { access_token, refresh_token, client } = await flow.signIn({
      access: 'read',
      folders: 'Projects',
    });
    const elsewhere = new OAuthDatabase(served.databasePath);
    const grant = elsewhere.grants().find((record) => record.client === client);
    expect(grant).toMatchObject({ name: 'Test <b>client</b>', words: ['vault:read', 'path:Projects'] });
    expect(elsewhere.revoke(grant?.id ?? '')).toBe(true);
    expect(elsewhere.revoke(grant?.id ?? '')).toBe(false);
    expect(elsewhere.grants().some((record) => record.client === client)).toBe(false);
    elsewhere.close();
    expect((await flow.list(access_token)).status).toBe(401);
    const refreshed = await flow.token({ grant_type: 'refresh_token', client_id: client, refresh_token });
    expect(refreshed.error).toBe('invalid_grant');
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
