import { LecternError } from '../errors.ts';
import { hostInUrl, isLoopback } from './loopback.ts';
import { duration, type Environment, list, number, text, yes } from './setting-values.ts';

export interface OAuthSettings {
  /** Where clients find it; nothing of a request decides that. */
  readonly issuer: URL;
  /** A client that is known beforehand, for programs that cannot register themselves. */
  readonly client:
    | { readonly id: string; readonly secret: string; readonly redirectUris: readonly string[] }
    | undefined;
  readonly lifetimes: TokenLifetimes;
}

/** How long what clients are given works, ms. */
export interface TokenLifetimes {
  readonly accessMs: number;
  /** From its own issue: a client that comes back in time goes on. */
  readonly refreshMs: number;
  /** How long a used refresh token may be shown again by a client that did not get the answer; 0 = never. */
  readonly refreshGraceMs: number;
}

/** As the command line gives them. */
export interface OAuthFlags {
  readonly oauth?: boolean;
  readonly oauthClient?: string;
  readonly oauthRedirect?: readonly string[];
  readonly oauthAccessLife?: string;
  readonly oauthRefreshLife?: string;
  readonly oauthRefreshGrace?: string;
}

/** Where the server is, as far as its clients have to know. */
interface Place {
  readonly noAuth: boolean;
  readonly publicUrl: URL | undefined;
  readonly host: string;
  readonly port: number;
  readonly tls: object | undefined;
}

/** A grant ends after a year whatever its tokens say. */
const LONGEST = '365d';
const LONGEST_GRACE_S = 300;

export const DEFAULT_LIFETIMES: TokenLifetimes = {
  accessMs: 3_600_000,
  refreshMs: 30 * 86_400_000,
  refreshGraceMs: 30_000,
};

/**
 * @returns undefined unless the owner asked for OAuth
 * @throws LecternError `invalid_input` for a value that cannot be meant, or when clients could not find the server
 */
export function oauthSettings(
  flags: OAuthFlags,
  environment: Environment,
  { noAuth, publicUrl, host, port, tls }: Place,
): OAuthSettings | undefined {
  const asked = flags.oauth ?? yes(environment.LECTERN_OAUTH);
  if (!asked || noAuth) return undefined;
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
    client: knownClient(flags, environment),
    lifetimes: lifetimes(flags, environment),
  };
}

function knownClient(flags: OAuthFlags, environment: Environment): OAuthSettings['client'] {
  const id = text(flags.oauthClient, environment.LECTERN_OAUTH_CLIENT);
  if (id === undefined) return undefined;
  const secret = text(environment.LECTERN_OAUTH_CLIENT_SECRET);
  const redirectUris = list(flags.oauthRedirect, environment.LECTERN_OAUTH_REDIRECT);
  if (secret !== undefined && redirectUris.length > 0) return { id, secret, redirectUris };
  throw new LecternError('invalid_input', `The OAuth client ${JSON.stringify(id)} is not complete.`, {
    next: 'Set LECTERN_OAUTH_CLIENT_SECRET, and --oauth-redirect with the addresses it is answered at.',
  });
}

function lifetimes(flags: OAuthFlags, environment: Environment): TokenLifetimes {
  const access = text(flags.oauthAccessLife, environment.LECTERN_OAUTH_ACCESS_LIFE);
  const refresh = text(flags.oauthRefreshLife, environment.LECTERN_OAUTH_REFRESH_LIFE);
  const grace = text(flags.oauthRefreshGrace, environment.LECTERN_OAUTH_REFRESH_GRACE);
  const { accessMs, refreshMs, refreshGraceMs } = DEFAULT_LIFETIMES;
  return {
    accessMs: access === undefined ? accessMs : duration('--oauth-access-life', access, LONGEST),
    refreshMs: refresh === undefined ? refreshMs : duration('--oauth-refresh-life', refresh, LONGEST),
    refreshGraceMs: 1000 * number('--oauth-refresh-grace', grace, refreshGraceMs / 1000, 0, LONGEST_GRACE_S),
  };
}
