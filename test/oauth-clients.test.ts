import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth from 'oauth4webapi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OAuthDatabase } from '../src/auth/oauth/oauth-database.ts';
import { type OAuthDoor, openOAuthDoor, PASSPHRASE } from './support/oauth-door.ts';
import { statelessRequest } from './support/protocol.ts';

/** Real clients complete the whole OAuth flow, in each way a client can be known. */

const INFO = { name: 'lectern-test', version: '1.0.0' };
const REDIRECT = 'http://127.0.0.1:9/callback';
const METADATA_URL = 'https://client.example/oauth/metadata.json';
const KNOWN = { id: 'known-client', secret: 'a secret of the known client', redirectUris: [REDIRECT] };

const metadata = {
  client_id: METADATA_URL,
  client_name: 'Client with a document',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

const HOUR_MS = 3_600_000;

let served: OAuthDoor;
/** How far the server's clock is ahead, ms. */
let ahead = 0;
const fetched: string[] = [];

// One for each test: the door takes only so many refused tokens a minute from one address.
beforeEach(async () => {
  ahead = 0;
  served = await openOAuthDoor(
    { 'A.md': 'alpha\n' },
    {
      client: KNOWN,
      passphrase: PASSPHRASE,
      now: () => Date.now() + ahead,
      fetch: async (url) => {
        fetched.push(String(url));
        return Response.json(metadata);
      },
    },
  );
});

afterEach(async () => {
  await served.close();
});

type Registration = 'dynamic' | 'document' | 'known';

/** What an SDK asks of the program around it; the owner's browser is played by `approve`. */
class TestProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: 'SDK client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  readonly clientMetadataUrl: string | undefined;
  authorizationUrl: URL | undefined;
  #client: Record<string, unknown> | undefined;
  #tokens: Record<string, unknown> | undefined;
  #verifier = '';

  constructor(registration: Registration) {
    if (registration === 'document') this.clientMetadataUrl = METADATA_URL;
    if (registration === 'known')
      this.#client = { client_id: KNOWN.id, client_secret: KNOWN.secret, issuer: served.origin };
  }

  #discovery: unknown;

  state() {
    return 'state';
  }
  discoveryState() {
    return this.#discovery;
  }
  saveDiscoveryState(discovery: unknown) {
    this.#discovery = discovery;
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: Record<string, unknown>) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  invalidateCredentials(scope: string) {
    if (scope === 'tokens' || scope === 'all') this.#tokens = undefined;
  }
  saveTokens(tokens: Record<string, unknown>) {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

interface TestClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

interface TestTransport {
  finishAuth(code: string | URLSearchParams): Promise<void>;
}

const CLIENTS: readonly [string, () => TestClient, (provider: TestProvider) => TestTransport, boolean][] = [
  ...(['auto', { pin: '2026-07-28' }, 'legacy'] as const).map(
    (mode) =>
      [
        `v2 ${JSON.stringify(mode)}`,
        () => new Client(INFO, { versionNegotiation: { mode } }),
        (provider: TestProvider) =>
          new StreamableHTTPClientTransport(served.mcpUrl, {
            authProvider: provider as unknown as OAuthClientProvider,
          }),
        true,
      ] as [string, () => TestClient, (provider: TestProvider) => TestTransport, boolean],
  ),
  [
    'v1',
    () => new ClientV1(INFO),
    (provider) => new StreamableHTTPClientTransportV1(served.mcpUrl, { authProvider: provider as never }),
    false,
  ],
  // One catalogue by its own address: the resource is the server's, of which this is a part.
  [
    'v1 at /mcp/indx',
    () => new ClientV1(INFO),
    (provider) =>
      new StreamableHTTPClientTransportV1(new URL(`${served.mcpUrl}/indx`), {
        authProvider: provider as never,
      }),
    false,
  ],
  [
    'v2 at /mcp/indx',
    () => new Client(INFO, { versionNegotiation: { mode: 'auto' } }),
    (provider) =>
      new StreamableHTTPClientTransport(new URL(`${served.mcpUrl}/indx`), {
        authProvider: provider as unknown as OAuthClientProvider,
      }),
    true,
  ],
];

describe.each(CLIENTS)('SDK client %s', (_name, createClient, createTransport, takesAnswer) => {
  it.each(['dynamic', 'document', 'known'] as const)(
    'known by %s registration: gets in, refreshes, asks for more, and is shut out',
    async (registration) => {
      const provider = new TestProvider(registration);
      const connected = async (): Promise<{ client: TestClient; transport: TestTransport }> => {
        const client = createClient();
        const transport = createTransport(provider);
        await client.connect(transport as never);
        return { client, transport };
      };
      /** The owner answers what the client asked last. */
      const agree = async (transport: TestTransport, form: Record<string, string>) => {
        const url = provider.authorizationUrl;
        if (url === undefined) throw new Error('The client did not ask for authorization.');
        provider.authorizationUrl = undefined;
        expect(url.searchParams.get('resource')).toBe(served.mcpUrl.href);
        const { searchParams } = await served.approve(url, form);
        await transport.finishAuth(takesAnswer ? searchParams : (searchParams.get('code') ?? ''));
      };
      const read = { name: 'note_read', arguments: { path: 'A.md' } };
      const write = { name: 'note_write', arguments: { path: `By ${registration}.md`, body: 'new\n' } };
      const alpha = { structuredContent: { body: 'alpha\n' } };

      const stranger = createTransport(provider);
      await expect(createClient().connect(stranger as never)).rejects.toThrow(/Unauthorized|authoriz/i);
      await agree(stranger, { access: 'read' });
      const reader = await connected();
      expect(await reader.client.callTool(read)).toMatchObject(alpha);

      const first = provider.tokens()?.access_token;
      ahead += HOUR_MS + 1000;
      expect(await reader.client.callTool(read)).toMatchObject(alpha);
      expect(provider.tokens()?.access_token).not.toBe(first);
      expect(provider.authorizationUrl).toBeUndefined();

      await expect(reader.client.callTool(write)).rejects.toThrow();
      let asking = reader.transport;
      if (provider.authorizationUrl === undefined) {
        // The older SDK refreshes what it has when it is told that this is too little, and gives up; the
        // program around it has to start over.
        expect(takesAnswer).toBe(false);
        provider.invalidateCredentials('tokens');
        asking = createTransport(provider);
        await expect(createClient().connect(asking as never)).rejects.toThrow(/Unauthorized|authoriz/i);
      }
      await agree(asking, { access: 'write' });
      const writer = await connected();
      expect(await writer.client.callTool(write)).toMatchObject({
        structuredContent: { path: write.arguments.path },
      });

      shutOut(String(provider.clientInformation()?.client_id));
      await expect(writer.client.callTool(read)).rejects.toThrow(/Unauthorized|authoriz/i);
      expect(provider.authorizationUrl).toBeDefined();
      await Promise.all([reader.client.close(), writer.client.close()]);
    },
  );
});

/** As `lectern oauth revoke` does, in another process. */
function shutOut(client: string): void {
  const database = new OAuthDatabase(served.databasePath);
  const grants = database.grants().filter((grant) => grant.client === client);
  expect(grants.length).toBeGreaterThan(0);
  for (const { id } of grants) database.revoke(id);
  database.close();
}

it('metadata documents are fetched from the address that is the client’s name', () => {
  expect(new Set(fetched)).toEqual(new Set([METADATA_URL]));
});

describe('oauth4webapi, a client of other hands', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const secret = KNOWN.secret;

  async function server(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(served.origin);
    const request = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    return await oauth.processDiscoveryResponse(issuer, request);
  }

  async function registered(as: oauth.AuthorizationServer, more: object = {}): Promise<oauth.Client> {
    const metadata = { redirect_uris: [REDIRECT], ...more };
    const request = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure);
    return await oauth.processDynamicClientRegistrationResponse(request);
  }

  const WAYS: readonly [
    string,
    (as: oauth.AuthorizationServer) => Promise<oauth.Client>,
    (client: oauth.Client) => oauth.ClientAuth,
  ][] = [
    ['that registers itself', (as) => registered(as), () => oauth.None()],
    [
      'that registers itself and keeps a secret',
      (as) => registered(as, { token_endpoint_auth_method: 'client_secret_basic' }),
      ({ client_secret }) => oauth.ClientSecretBasic(String(client_secret)),
    ],
    ['with a metadata document', async () => ({ client_id: METADATA_URL }), () => oauth.None()],
    [
      'known beforehand, its secret in the form',
      async () => ({ client_id: KNOWN.id }),
      () => oauth.ClientSecretPost(secret),
    ],
    [
      'known beforehand, its secret in the header',
      async () => ({ client_id: KNOWN.id }),
      () => oauth.ClientSecretBasic(secret),
    ],
  ];

  it.each(WAYS)('%s agrees with every answer', async (_name, clientOf, authOf) => {
    const as = await server();
    const client = await clientOf(as);
    const auth = authOf(client);

    const signIn = async (scope: string, form: Record<string, string>) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = new URL(as.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope,
        state,
        resource: served.mcpUrl.href,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      const parameters = oauth.validateAuthResponse(as, client, await served.approve(url, form), state);
      return await oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, REDIRECT, verifier, insecure),
      );
    };
    const refresh = async (token: string | undefined) =>
      await oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, token ?? '', insecure),
      );
    const call = async (token: string, name: string, args: Record<string, unknown>) => {
      const { body, headers } = statelessRequest('tools/call', { name, arguments: args });
      return await served.post(body, { ...headers, Authorization: `Bearer ${token}` });
    };

    const first = await signIn('vault:read', { access: 'read' });
    const reader = await refresh(first.refresh_token);
    expect((await call(reader.access_token, 'note_read', { path: 'A.md' })).status).toBe(200);

    const write = ['note_write', { path: 'Other.md', body: 'new\n' }] as const;
    const refused = await call(reader.access_token, ...write);
    expect(refused.status).toBe(403);
    const [, more = ''] = /scope="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const writer = await signIn(more, { access: 'write' });
    expect(writer.scope).toBe('vault:read vault:write');
    expect((await call(writer.access_token, ...write)).status).toBe(200);

    const revoked = await oauth.revocationRequest(as, client, auth, writer.access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    expect((await call(writer.access_token, ...write)).status).toBe(401);

    const next = await refresh(reader.refresh_token);
    await refresh(next.refresh_token);
    await expect(refresh(reader.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await call(next.access_token, 'note_read', { path: 'A.md' })).status).toBe(401);
  });
});
