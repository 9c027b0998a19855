// Imported past its entry file, which prints a warning at every start on Node 20; it works there, as the
// tests show (docs/dependencies.md).
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import type { TokenLifetimes } from '../../config/oauth-settings.ts';
import type { OAuthKeys } from './keys.ts';
import { fetchMetadata } from './metadata-fetch.ts';
import type { OAuthDatabase } from './oauth-database.ts';
import { messagePage, PAGE_HEADERS } from './pages.ts';

/** A client configured by the owner. */
export interface KnownClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUris: readonly string[];
}

export interface ProviderOptions {
  readonly issuer: URL;
  /** The MCP endpoint: the only resource tokens are issued for (RFC 8707). */
  readonly resource: string;
  readonly database: OAuthDatabase;
  readonly keys: OAuthKeys;
  readonly lifetimes: TokenLifetimes;
  readonly client: KnownClient | undefined;
  readonly fetch?: typeof fetchMetadata;
}

/** The scopes clients may request. `vault:admin` is available only with tokens of `lectern token`. */
export const OAUTH_SCOPES = ['vault:read', 'vault:write'] as const;

export const OWNER = 'owner';

const HOUR = 3600;
const DAY = 24 * HOUR;

export const CONSENT_PATH = '/oauth/consent/';

/** The part of a request that the callbacks of {@link createProvider} use. */
interface Context {
  readonly oidc: { readonly result?: { readonly consent?: { readonly grantId?: string } } };
  body: unknown;
  type: string;
  set(headers: Readonly<Record<string, string>>): void;
}

/**
 * The OAuth 2.1 authorization server: authorization code with PKCE S256 for every client, opaque tokens for
 * one resource, refresh tokens that are valid for one use. Reuse of a refresh token revokes the whole grant.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, resource, database, client, lifetimes } = options;
  const { jwks, cookieKeys } = options.keys;
  const secure = issuer.protocol === 'https:';
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const;
  const provider: Provider = new Provider(issuer.origin, {
    adapter: (kind: string) => database.adapter(kind),
    jwks,
    cookies: { keys: cookieKeys, long: cookie, short: cookie },
    clients: client === undefined ? [] : [knownClient(client)],
    // Programs usually register a loopback address, whose port may differ each time (RFC 8252 §7.3).
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientBasedCORS: () => true,
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: [...OAUTH_SCOPES],
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // Tokens bound to a key would require checks that Lectern does not make; only bearer tokens are issued.
      dPoP: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId: string }) =>
          token.clientId === client.clientId,
      },
      registration: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, indicator: string) => {
          if (indicator !== resource) throw new InvalidTarget();
          return { scope: OAUTH_SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    routes: {
      authorization: '/oauth/authorize',
      jwks: '/oauth/jwks',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      token: '/oauth/token',
    },
    interactions: {
      url: (_context: unknown, { uid }: { uid: string }) => `${CONSENT_PATH}${uid}`,
    },
    // The owner must confirm every time: an earlier grant does not prove who uses the browser now.
    loadExistingGrant: (context: Context) => {
      const id = context.oidc.result?.consent?.grantId;
      return id === undefined ? undefined : provider.Grant.find(id);
    },
    findAccount: (_context: unknown, id: string) =>
      id === OWNER ? { accountId: OWNER, claims: async () => ({ sub: OWNER }) } : undefined,
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    ttl: {
      AccessToken: () => lifetimes.accessMs / 1000,
      AuthorizationCode: () => 60,
      Grant: () => 365 * DAY,
      Interaction: () => HOUR / 4,
      RefreshToken: () => lifetimes.refreshMs / 1000,
      Session: () => HOUR / 4,
    },
    fetch: options.fetch ?? fetchMetadata,
    renderError: (context: Context, out: { error: string; error_description?: string }) => {
      context.set(PAGE_HEADERS);
      context.type = 'html';
      context.body = messagePage('This does not work', out.error_description ?? out.error);
    },
  });
  // Host and protocol were set from the issuer before the request gets here; the client's headers are not
  // trusted.
  provider.proxy = true;
  return provider;
}

function knownClient({ id, secret, redirectUris }: KnownClient): object {
  return {
    client_id: id,
    client_secret: secret,
    client_name: id,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'client_secret_post',
  };
}
