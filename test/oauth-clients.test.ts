import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthDoor, openOAuthDoor } from './support/oauth-door.ts';
import { statelessRequest } from './support/test-door.ts';

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

let served: OAuthDoor;
const fetched: string[] = [];

beforeAll(async () => {
  served = await openOAuthDoor(
    { 'A.md': 'alpha\n' },
    {
      client: KNOWN,
      fetch: async (url) => {
        fetched.push(String(url));
        return Response.json(metadata);
      },
    },
  );
});

afterAll(async () => {
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
];

describe.each(CLIENTS)('SDK client %s', (_name, createClient, createTransport, takesAnswer) => {
  it.each(['dynamic', 'document', 'known'] as const)(
    'gets in, known by %s registration',
    async (registration) => {
      const provider = new TestProvider(registration);
      const before = createTransport(provider);
      await expect(createClient().connect(before as never)).rejects.toThrow(/Unauthorized|authoriz/i);
      if (provider.authorizationUrl === undefined)
        throw new Error('The client did not ask for authorization.');
      expect(provider.authorizationUrl.searchParams.get('resource')).toBe(served.mcpUrl.href);
      const answer = await served.approve(provider.authorizationUrl);
      await before.finishAuth(takesAnswer ? answer.searchParams : (answer.searchParams.get('code') ?? ''));
      const client = createClient();
      await client.connect(createTransport(provider) as never);
      expect(await client.callTool({ name: 'note_read', arguments: { path: 'A.md' } })).toMatchObject({
        structuredContent: { body: 'alpha\n' },
      });
      await client.close();
    },
  );
});

it('an SDK client asks for more when it is told that it has too little, and gets it', async () => {
  const provider = new TestProvider('dynamic');
  const transport = () =>
    new StreamableHTTPClientTransport(served.mcpUrl, {
      authProvider: provider as unknown as OAuthClientProvider,
    });
  const create = () => new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  const signIn = async (form: Record<string, string>, before: StreamableHTTPClientTransport) => {
    if (provider.authorizationUrl === undefined) throw new Error('The client did not ask for authorization.');
    await before.finishAuth((await served.approve(provider.authorizationUrl, form)).searchParams);
    provider.authorizationUrl = undefined;
  };
  const first = transport();
  await expect(create().connect(first)).rejects.toThrow();
  await signIn({ access: 'read' }, first);
  const second = transport();
  const reader = create();
  await reader.connect(second);
  const write = { name: 'note_write', arguments: { path: 'New.md', body: 'new\n' } };
  await expect(reader.callTool(write)).rejects.toThrow();
  await signIn({ access: 'write' }, second);
  const writer = create();
  await writer.connect(transport());
  expect(await writer.callTool(write)).toMatchObject({ structuredContent: { created: true } });
  await Promise.all([reader.close(), writer.close()]);
});

it('metadata documents are fetched from the address that is the client’s name', () => {
  expect(new Set(fetched)).toEqual(new Set([METADATA_URL]));
});

it('oauth4webapi, a client of other hands, agrees with every answer', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(served.origin);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, { redirect_uris: [REDIRECT] }, insecure),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'vault:read',
    state: 'abc',
    resource: served.mcpUrl.href,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const parameters = oauth.validateAuthResponse(as, client, await served.approve(url), 'abc');
  const tokens = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      REDIRECT,
      verifier,
      insecure,
    ),
  );
  const refreshed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token ?? '', insecure),
  );
  const { body, headers } = statelessRequest('tools/list');
  const listed = await served.post(body, { ...headers, Authorization: `Bearer ${refreshed.access_token}` });
  expect(listed.status).toBe(200);
  const revoked = await oauth.revocationRequest(as, client, oauth.None(), refreshed.access_token, insecure);
  await oauth.processRevocationResponse(revoked);
  const after = await served.post(body, { ...headers, Authorization: `Bearer ${refreshed.access_token}` });
  expect(after.status).toBe(401);
});
