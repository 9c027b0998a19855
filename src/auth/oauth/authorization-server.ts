import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_LIFETIMES, type TokenLifetimes } from '../../config/oauth-settings.ts';
import { Attempts } from '../attempts.ts';
import { type Principal, parseScopes } from '../grant.ts';
import { ConsentPages } from './consent.ts';
import { type AuthorizationEvent, reportEvents } from './event.ts';
import { followKey, readKeys, writtenKeys } from './keys.ts';
import type { fetchMetadata } from './metadata-fetch.ts';
import { OAuthDatabase } from './oauth-database.ts';
import { Owner } from './owner.ts';
import { CONSENT_PATH, createProvider, type KnownClient, OAUTH_SCOPES, OWNER } from './provider.ts';

export interface AuthorizationServerOptions {
  /** Folder for all its files, readable by its owner only. */
  readonly databasePath: string;
  /** Origin of this server as clients address it, without a path. */
  readonly issuer: URL;
  readonly client: KnownClient | undefined;
  readonly lifetimes?: TokenLifetimes;
  /** The owner's passphrase; undefined = the owner sets it in a browser. */
  readonly passphrase?: string | undefined;
  /** Everything issued under another text is revoked at start. */
  readonly key?: string | undefined;
  readonly now?: () => number;
  readonly onEvent: (event: AuthorizationEvent) => void;
  readonly fetch?: typeof fetchMetadata;
  /** Names of the served vaults; with several, the owner chooses which ones a client may see. */
  readonly vaults?: readonly string[];
  /**
   * How many clients one address may register. Default 30: registering grants no access, but each client is
   * kept for a day.
   */
  readonly registrationsPerHour?: number;
}

const SETUP_PATH = '/oauth/setup';
const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const SERVER_METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
/** Where clients of 2025-03-26 look by default, and clients of systems that use these paths. */
const SHORT_PATHS: ReadonlyMap<string, string> = new Map(
  ['authorize', 'token', 'register'].map((name) => [`/${name}`, `/oauth/${name}`]),
);
/** Name of the scope in systems that have only one. */
const EVERYTHING = 'mcp';
const SWEEP_MS = 10 * 60_000;

/** The objects that share one set of keys. */
interface Engine {
  readonly keys: string;
  readonly provider: ReturnType<typeof createProvider>;
  readonly callback: ReturnType<ReturnType<typeof createProvider>['callback']>;
  readonly pages: ConsentPages;
}

/** The authorization server of one vault's owner, and the validator of its tokens. */
export class AuthorizationServer {
  readonly owner: Owner;
  readonly resource: string;
  readonly #options: AuthorizationServerOptions;
  readonly #issuer: URL;
  readonly #database: OAuthDatabase;
  readonly #lifetimes: TokenLifetimes;
  readonly #addresses = new WeakMap<IncomingMessage, string>();
  #made: Engine | undefined;
  readonly #registrations: Attempts;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: AuthorizationServerOptions) {
    const { issuer, databasePath, lifetimes = DEFAULT_LIFETIMES } = options;
    this.#options = options;
    this.#lifetimes = lifetimes;
    this.#issuer = issuer;
    this.#registrations = new Attempts(options.registrationsPerHour ?? 30, 60 * 60_000);
    this.resource = `${issuer.origin}/mcp`;
    const { now = Date.now } = options;
    this.#database = new OAuthDatabase(databasePath, { now, refreshGraceMs: lifetimes.refreshGraceMs });
    if (options.key !== undefined) followKey(this.#database, options.key);
    this.owner = new Owner(this.#database, now, options.passphrase);
    this.#sweep = setInterval(() => this.#database.sweep(), SWEEP_MS);
    this.#sweep.unref();
  }

  /**
   * Parameters of every 401: where clients find the authorization server (RFC 9728 §5.1), and which scopes to
   * request.
   */
  get challenge(): Readonly<Record<string, string>> {
    return {
      resource_metadata: `${this.#issuer.origin}${RESOURCE_METADATA}/mcp`,
      scope: OAUTH_SCOPES.join(' '),
    };
  }

  /** A link that sets the owner's passphrase, valid once; show it to the owner only. */
  newSetupLink(): string {
    return `${this.#issuer.origin}${SETUP_PATH}?code=${this.owner.newSetupCode()}`;
  }

  handles(path: string): boolean {
    return (
      path.startsWith('/oauth/') ||
      SHORT_PATHS.has(path) ||
      path === RESOURCE_METADATA ||
      path === `${RESOURCE_METADATA}/mcp` ||
      serverMetadata(path) !== undefined
    );
  }

  /** @param address the client's address, for limits and the audit log */
  async handle(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    const [path = '', ...query] = (request.url ?? '/').split('?');
    request.url = [SHORT_PATHS.get(path) ?? path, ...query].join('?');
    const url = new URL(request.url, this.#issuer);
    const { pathname } = url;
    if (pathname.startsWith(RESOURCE_METADATA)) return this.#resourceMetadata(response);
    const { pages, callback } = this.#engine();
    if (pathname === SETUP_PATH) return await pages.setup(request, response, address);
    if (pathname.startsWith(CONSENT_PATH)) return await pages.consent(request, response, address);
    if (pathname === '/oauth/register' && !this.#registrations.take(address)) {
      return tooManyRegistrations(response);
    }
    const metadata = serverMetadata(pathname);
    if (metadata !== undefined) request.url = metadata;
    else if (
      pathname === '/oauth/authorize' &&
      (url.searchParams.get('scope') ?? EVERYTHING) === EVERYTHING
    ) {
      // Clients may omit the scope: then they request all scopes, and the owner decides.
      url.searchParams.set('scope', OAUTH_SCOPES.join(' '));
      request.url = url.pathname + url.search;
    }
    request.headers['x-forwarded-proto'] = this.#issuer.protocol.slice(0, -1);
    request.headers['x-forwarded-host'] = this.#issuer.host;
    this.#addresses.set(request, address);
    await callback(request, response);
  }

  /** Validates an access token: issued by this server, for this resource, not expired, not revoked. */
  async verify(
    token: string,
  ): Promise<
    { readonly kind: 'good'; readonly principal: Principal } | { readonly kind: 'unknown' | 'expired' }
  > {
    const { provider } = this.#engine();
    const found = await provider.AccessToken.find(token);
    if (found === undefined || found.accountId !== OWNER || found.aud !== this.resource)
      return { kind: 'unknown' };
    if (found.isExpired) return { kind: 'expired' };
    const narrowing = this.#database.narrowing(found.grantId);
    if (narrowing === undefined) return { kind: 'unknown' };
    const asked = (found.scope ?? '').split(' ');
    const scopes = OAUTH_SCOPES.filter((scope) => asked.includes(scope));
    if (scopes.length === 0) return { kind: 'unknown' };
    const client = await provider.Client.find(found.clientId);
    return {
      kind: 'good',
      principal: {
        id: `oauth:${found.grantId}`,
        name: (client?.clientName ?? found.clientId).slice(0, 100),
        kind: 'oauth',
        grant: parseScopes([...scopes, ...narrowing]),
      },
    };
  }

  /** Whether the grant behind a principal is still valid. */
  stillWorks({ id }: Principal): boolean {
    return this.#database.narrowing(id.replace(/^oauth:/, '')) !== undefined;
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#database.close();
  }

  /** Created again after another process rotated the keys. */
  #engine(): Engine {
    const keys = writtenKeys(this.#database);
    if (this.#made?.keys === keys) return this.#made;
    const shared = { ...this.#options, resource: this.resource, database: this.#database };
    const provider = createProvider({ ...shared, keys: readKeys(keys), lifetimes: this.#lifetimes });
    const { vaults = [] } = this.#options;
    reportEvents(provider, (request) => this.#addresses.get(request) ?? '', this.#options.onEvent);
    const pages = new ConsentPages({ ...shared, provider, owner: this.owner, vaults });
    this.#made = { keys, provider, callback: provider.callback(), pages };
    return this.#made;
  }

  /** RFC 9728 §3.2. */
  #resourceMetadata(response: ServerResponse): void {
    const document = {
      resource: this.resource,
      authorization_servers: [this.#issuer.origin],
      scopes_supported: OAUTH_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Lectern',
    };
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'max-age=300',
    });
    response.end(JSON.stringify(document));
  }
}

function tooManyRegistrations(response: ServerResponse): void {
  response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '3600' });
  response.end(
    JSON.stringify({
      error: 'temporarily_unavailable',
      error_description: 'Too many clients were registered from this address.',
    }),
  );
}

/** The document at a path, with or without the resource's path appended (RFC 8414 §3.1). */
function serverMetadata(path: string): string | undefined {
  return SERVER_METADATA.find((known) => path === known || path === `${known}/mcp`);
}
