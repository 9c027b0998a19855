import { LecternError } from '../errors.ts';
import { hostInUrl, isLoopback } from './loopback.ts';
import { SettingReader } from './setting-values.ts';

/** Settings of the authorization server. */
export interface OAuthSettings {
  /** The issuer address; never derived from a request. */
  readonly issuer: URL;
  /** A preconfigured client, for programs that cannot register themselves. */
  readonly client:
    | { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] }
    | undefined;
  readonly lifetimes: TokenLifetimes;
  /** The owner's passphrase; undefined when it is set in a browser. */
  readonly passphrase: string | undefined;
  /** When this differs from the last start, everything issued to clients before is revoked. */
  readonly key: string | undefined;
}

/** Lifetimes of tokens, ms. */
export interface TokenLifetimes {
  readonly accessMs: number;
  /** Counted from the token's own issue: a client that refreshes in time can continue indefinitely. */
  readonly refreshMs: number;
  /** How long a used refresh token may be presented again by a client that lost the response, ms; 0 = never. */
  readonly refreshGraceMs: number;
}

/** The server's address, as far as clients need it. */
interface Place {
  readonly noAuth: boolean;
  readonly publicUrl: URL | undefined;
  readonly host: string;
  readonly port: number;
  readonly tls: object | undefined;
}

export const DEFAULT_LIFETIMES: TokenLifetimes = lifetimes(new SettingReader({}, {}));

/** Shortest passphrase, UTF-16 code units; shorter ones can be guessed. */
export const MIN_PASSPHRASE = 12;

/**
 * The settings of OAuth.
 *
 * @param usualRedirects default redirect addresses of a preconfigured client
 * @returns undefined unless OAuth is enabled
 * @throws LecternError `invalid_input` for an invalid value, or when clients could not reach the server's
 *   address
 */
export function oauthSettings(
  setting: SettingReader,
  { noAuth, publicUrl, host, port, tls }: Place,
  usualRedirects: readonly string[] = [],
): OAuthSettings | undefined {
  const isAsked = setting.given('http.oauth') ?? setting.value('http.oauth_client') !== undefined;
  if (!isAsked || noAuth) return undefined;
  if (publicUrl === undefined && (!isLoopback(host) || port === 0)) {
    throw new LecternError('invalid_input', 'OAuth clients have to be told where this server is.', {
      next: 'Give --public-url https://… as they will see it.',
    });
  }
  if (publicUrl !== undefined && publicUrl.pathname !== '/') {
    throw new LecternError('invalid_input', 'With OAuth the public URL cannot have a path.', {
      next: 'Give Lectern a host name of its own.',
    });
  }
  return {
    issuer: publicUrl ?? new URL(`${tls === undefined ? 'http' : 'https'}://${hostInUrl(host)}:${port}`),
    client: knownClient(setting, usualRedirects),
    lifetimes: lifetimes(setting),
    passphrase: ownPassphrase(setting.value('http.oauth_passphrase')),
    key: setting.value('http.oauth_key'),
  };
}

function ownPassphrase(value: string | undefined): string | undefined {
  if (value === undefined || value.length >= MIN_PASSPHRASE) return value;
  throw new LecternError('invalid_input', 'The passphrase of LECTERN_OAUTH_PASSPHRASE is too short.', {
    next: `Take a sentence: ${MIN_PASSPHRASE} characters or more.`,
  });
}

function knownClient(setting: SettingReader, usualRedirects: readonly string[]): OAuthSettings['client'] {
  const id = setting.value('http.oauth_client');
  if (id === undefined) return undefined;
  const secret = setting.value('http.oauth_client_secret');
  const redirectUris = setting.given('http.oauth_redirects') ?? usualRedirects;
  if (secret !== undefined && redirectUris.length > 0) return { id, secret, redirectUris };
  throw new LecternError('invalid_input', `The OAuth client ${JSON.stringify(id)} is not complete.`, {
    next: 'Set LECTERN_OAUTH_CLIENT_SECRET, and --oauth-redirect with the addresses it is answered at.',
  });
}

function lifetimes(setting: SettingReader): TokenLifetimes {
  return {
    accessMs: setting.value('http.oauth_access_life'),
    refreshMs: setting.value('http.oauth_refresh_life'),
    refreshGraceMs: 1000 * setting.value('http.oauth_refresh_grace'),
  };
}
