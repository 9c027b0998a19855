import { createHash, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { type Principal, parseScopes } from '../auth/grant.ts';
import type { AuthorizationServer } from '../auth/oauth/authorization-server.ts';
import type { AuthorizationEvent } from '../auth/oauth/event.ts';
import { TokenStore } from '../auth/tokens/token-store.ts';
import type { HttpSettings } from '../config/http-settings.ts';
import { LecternError } from '../errors.ts';
import { Authenticator } from '../http/authenticate.ts';
import type { AuditLog } from '../journal/audit.ts';
import { AUTH_FILE, OAUTH_FILE } from './state-files.ts';

/** All credentials accepted over HTTP. */
export interface Credentials {
  readonly authenticator: Authenticator;
  /** Undefined unless OAuth is enabled. */
  readonly authorization: AuthorizationServer | undefined;
  close(): void;
}

/**
 * Opens the tokens and, if enabled, the authorization server.
 *
 * @param state the folder of their files
 * @param vaults names of the served vaults
 * @throws LecternError `invalid_input` when no credential exists or could be obtained
 */
export async function openCredentials(
  { noAuth, oauth, token }: Pick<HttpSettings, 'noAuth' | 'oauth' | 'token'>,
  state: string,
  audit: AuditLog,
  vaults: readonly string[],
): Promise<Credentials> {
  if (noAuth) {
    const authenticator = new Authenticator({ credentials: undefined });
    return { authenticator, authorization: undefined, close: () => {} };
  }
  const tokens = openTokens(join(state, AUTH_FILE), oauth !== undefined || token !== undefined);
  const own = token === undefined ? undefined : ownToken(token);
  const authorization = oauth && (await openAuthorization(oauth, join(state, OAUTH_FILE), audit, vaults));
  const authenticator = new Authenticator({
    credentials: {
      verify: (token) => {
        if (own?.is(token) === true) return { kind: 'good', principal: own.principal };
        return authorization === undefined || token.startsWith('lectern_')
          ? tokens.verify(token)
          : authorization.verify(token);
      },
      stillWorks: (principal) =>
        principal === own?.principal ||
        (principal.kind === 'oauth'
          ? authorization?.stillWorks(principal) === true
          : tokens.stillWorks(principal.id)),
    },
    ...(authorization && { challenge: authorization.challenge }),
  });
  return {
    authenticator,
    authorization,
    close() {
      tokens.close();
      authorization?.close();
    },
  };
}

/** The token from the settings, which is in no store: it may read and write until the next start. */
function ownToken(token: string): { readonly principal: Principal; is(credential: string): boolean } {
  const hash = sha256(token);
  return {
    principal: {
      id: 'token:settings',
      name: 'LECTERN_HTTP_TOKEN',
      kind: 'token',
      grant: parseScopes(['vault:write']),
    },
    is: (credential) => timingSafeEqual(hash, sha256(credential)),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function openTokens(path: string, mayBeNone: boolean): TokenStore {
  const tokens = new TokenStore(path);
  if (mayBeNone || tokens.hasWorking()) return tokens;
  tokens.close();
  throw new LecternError('invalid_input', 'Nobody could come in: there is no token yet.', {
    next: 'Make one with lectern token create --name <client> --scope vault:read, add --oauth, or, for this machine alone, --no-auth.',
  });
}

/** Loaded only when enabled: it imports a web framework. */
async function openAuthorization(
  settings: NonNullable<HttpSettings['oauth']>,
  databasePath: string,
  audit: AuditLog,
  vaults: readonly string[],
): Promise<AuthorizationServer> {
  const { AuthorizationServer } = await import('../auth/oauth/authorization-server.ts');
  return new AuthorizationServer({
    ...settings,
    databasePath,
    vaults,
    onEvent: (event) => note(audit, event),
  });
}

const GOOD: ReadonlySet<AuthorizationEvent['kind']> = new Set(['allowed', 'passphrase_set', 'grant_ended']);

function note(audit: AuditLog, { kind, client, address, reason = kind }: AuthorizationEvent): void {
  audit.append({
    time: new Date().toISOString(),
    event: kind === 'token_refused' ? 'refused' : 'consent',
    ...(client !== undefined && { client }),
    address,
    outcome: GOOD.has(kind) ? 'ok' : 'refused',
    code: reason,
  });
}
