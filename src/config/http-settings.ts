import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { LecternError } from '../errors.ts';
import { isLoopback } from './loopback.ts';
import { type OAuthSettings, oauthSettings } from './oauth-settings.ts';
import type { SettingFlags } from './setting-rows.ts';
import { type Environment, isWholeNumber, SettingReader } from './setting-values.ts';

/** Settings of the HTTP door. Sizes in bytes, times in milliseconds. */
export interface HttpSettings {
  readonly host: string;
  readonly port: number;
  /**
   * Public address, when it differs from the address the server listens on: origin and path prefix, no
   * trailing slash.
   */
  readonly publicUrl: URL | undefined;
  /** No authentication. Only on loopback. */
  readonly noAuth: boolean;
  /** A token accepted in addition to those of the token store. */
  readonly token: string | undefined;
  /** OAuth is enabled: this server is the authorization server of its owner. */
  readonly oauth: OAuthSettings | undefined;
  /** Additional host names accepted in the Host header, without port. */
  readonly allowedHosts: readonly string[];
  /** Web origins that may call from a browser. */
  readonly allowedOrigins: readonly string[];
  /** Addresses or networks (CIDR) of trusted reverse proxies, whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly callLimitMs: number;
  readonly maxBodyBytes: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  /** Requests per minute and caller; 0 = no limit. */
  readonly ratePerMinute: number;
}

/** The flags as parsed from the command line. */
export interface HttpFlags extends SettingFlags {
  /** False for `--no-auth`, which exists only as a flag. */
  readonly auth?: boolean;
}

/** Defaults expected by clients of the catalogue at `/mcp`. */
export interface UsualHttp {
  readonly port?: number;
  /** Redirect addresses of a preconfigured OAuth client. */
  readonly redirectUris?: readonly string[];
}

/** The format of RFC 6750 §2.1, and long enough not to be guessed. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{20,500}$/;

/**
 * Flags take precedence over the environment, and the environment over the defaults.
 *
 * @throws LecternError `invalid_input` for an invalid value, or for settings that would leave the server
 *   unprotected
 */
export function resolveHttpSettings(
  flags: HttpFlags,
  environment: Environment,
  usual: UsualHttp = {},
): HttpSettings {
  const setting = new SettingReader(flags, environment);
  const settings: Omit<HttpSettings, 'oauth'> = {
    host: setting.value('http.host'),
    port: setting.given('http.port') ?? usual.port ?? setting.value('http.port'),
    publicUrl: publicUrl(setting.value('http.public_url')),
    noAuth: flags.auth === false,
    token: ownToken(setting.value('http.token')),
    allowedHosts: setting.value('http.allow_hosts').map((name) => name.toLowerCase()),
    allowedOrigins: setting.value('http.allow_origins').map(origin),
    trustedProxies: setting.value('http.trust_proxies').map(network),
    tls: tlsFiles(setting.value('http.tls_cert'), setting.value('http.tls_key')),
    callLimitMs: 1000 * setting.value('http.request_limit'),
    maxBodyBytes: 1024 * setting.value('http.body_limit'),
    sessionIdleMs: 60_000 * setting.value('http.session_idle'),
    maxSessions: 500,
    ratePerMinute: setting.value('http.rate_limit'),
  };
  refuseOpenDoor(settings);
  return { ...settings, oauth: oauthSettings(setting, settings, usual.redirectUris) };
}

function ownToken(value: string | undefined): string | undefined {
  if (value === undefined || TOKEN.test(value)) return value;
  throw new LecternError('invalid_input', 'The token of LECTERN_HTTP_TOKEN cannot be used.', {
    next: 'Give 20 characters or more of letters, digits and . _ ~ + / = -, e.g. from openssl rand -hex 32.',
  });
}

function refuseOpenDoor({ noAuth, host, publicUrl }: Omit<HttpSettings, 'oauth'>): void {
  if (!noAuth) return;
  if (!isLoopback(host)) {
    throw new LecternError(
      'invalid_input',
      `Without authentication Lectern listens on loopback only, not on ${host}.`,
      { next: 'Leave --no-auth out and make a token with lectern token create.' },
    );
  }
  if (publicUrl !== undefined && !isLoopback(publicUrl.hostname)) {
    throw new LecternError('invalid_input', 'A public URL and --no-auth would open the notes to everybody.', {
      next: 'Leave --no-auth out and make a token with lectern token create.',
    });
  }
}

function publicUrl(value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const usable =
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (!usable) {
    throw new LecternError('invalid_input', `${JSON.stringify(value)} cannot be the public URL.`, {
      next: 'Give https://host[:port][/prefix], as clients will see it.',
    });
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function origin(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return new URL(value).origin;
  throw new LecternError('invalid_input', `${JSON.stringify(value)} is not a web origin.`, {
    next: 'Give scheme, host and port, e.g. https://inspector.example.',
  });
}

function network(value: string): string {
  const [address = '', prefix, ...rest] = value.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  const good =
    isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || isWholeNumber(prefix, 0, bits));
  if (good) return value;
  throw new LecternError('invalid_input', `${JSON.stringify(value)} is not an address or a network.`, {
    next: 'Give the address of the proxy as this server sees it, e.g. 127.0.0.1 or 10.0.0.0/8.',
  });
}

function tlsFiles(cert: string | undefined, key: string | undefined): HttpSettings['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert: resolve(cert), key: resolve(key) };
  throw new LecternError('invalid_input', 'TLS needs both a certificate and its key.', {
    next: 'Give --tls-cert and --tls-key, both PEM files.',
  });
}
